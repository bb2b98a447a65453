package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.storage.remote.window.PartWindow;
import io.artifactserver.storage.remote.window.PartWriter;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/**
 * Sends a blob as one object: in parts, several at once, or as a single request if there is less
 * than a part of it. Used by one thread; parts are sent by others.
 */
final class S3BlobUpload implements BlobUpload {
  private final S3Bucket bucket;
  private final ObjectWriter objects;
  private final EntityTags tags;
  private final String key;

  /** The first part's; what is shorter is no multipart upload. */
  private final int partLength;

  private final Map<Integer, CompletedPart> sent = new ConcurrentSkipListMap<>();
  private final PartWriter parts;
  private volatile @Nullable String uploadId;
  private boolean isUsable = true;
  private boolean isCommitted;

  /** Whether there may be an object: its last request was begun. */
  private volatile boolean isWritten;

  private long length;

  /**
   * @param partLength of the window's first part, in bytes
   */
  @SuppressWarnings("MustBeClosedChecker") // Closed with this upload.
  S3BlobUpload(
      S3Bucket bucket,
      ObjectWriter objects,
      EntityTags tags,
      PartWindow window,
      int partLength,
      String key) {
    this.bucket = bucket;
    this.objects = objects;
    this.tags = tags;
    this.partLength = partLength;
    this.key = key;
    this.parts = window.open(this::send);
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public void write(ByteBuffer bytes) throws StorageException {
    requireUsable();
    isUsable = false;
    if (uploadId == null && length + bytes.remaining() >= partLength) {
      try {
        uploadId = objects.create(key);
      } catch (SdkException e) {
        throw bucket.errors().ofUpload(key, e);
      }
    }
    length += bytes.remaining();
    parts.write(bytes);
    isUsable = true;
  }

  @Override
  public BlobRef commit() throws StorageException {
    requireUsable();
    isUsable = false;
    int count = parts.finish();
    BlobRef ref = new BlobRef(key, length);
    try {
      String id = uploadId;
      if (count == 0) {
        isWritten = true;
        objects.put(key, ByteBuffer.allocate(0));
      } else if (id != null) {
        isWritten = true;
        objects.complete(key, id, sent.values());
      }
      HeadObjectResponse stored = bucket.head(bucket.objectName(key));
      if (!Objects.equals(stored.contentLength(), length)) {
        throw new StorageException.StorageUnavailable(
            S3BlobStore.NAME,
            "it has %s bytes of blob %s after %d were sent"
                .formatted(stored.contentLength(), key, length),
            null);
      }
      tags.remember(key, stored.eTag());
    } catch (SdkException e) {
      throw bucket.errors().ofUpload(key, e);
    }
    isCommitted = true;
    return ref;
  }

  @Override
  public void close() {
    isUsable = false;
    parts.close();
    String id = uploadId;
    uploadId = null;
    if (!isCommitted) {
      if (id != null) {
        objects.abort(key, id);
      }
      if (isWritten) {
        objects.discard(key);
      }
      isWritten = false;
    }
    objects.ended(key);
  }

  /** One part; without an upload id it is all there is. */
  private void send(int number, ByteBuffer part) throws StorageException {
    try {
      String id = uploadId;
      if (id == null) {
        isWritten = true;
        objects.put(key, part);
      } else {
        sent.put(number, objects.sendPart(key, id, number, part));
      }
    } catch (SdkException e) {
      throw bucket.errors().ofUpload(key, e);
    }
  }

  private void requireUsable() {
    if (!isUsable) {
      throw new IllegalStateException("The upload is committed, failed or closed");
    }
  }
}

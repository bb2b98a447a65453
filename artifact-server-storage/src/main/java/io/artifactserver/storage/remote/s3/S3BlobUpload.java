package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
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

  /** Parts that an earlier process may have sent. */
  private volatile @Nullable RepeatedParts repeated;

  private boolean isUsable = true;
  private boolean isCommitted;
  private boolean isKept;
  private boolean isLeft;

  /** The last checkpoint's, and the part number of the one before if it has another object. */
  private S3UploadState.Rest rest = S3UploadState.Rest.NONE;

  private int olderRest;

  /** Whether there may be an object: its last request was begun. */
  private volatile boolean isWritten;

  private long length;

  /**
   * @param partLength of the window's first part, in bytes
   */
  S3BlobUpload(
      S3Bucket bucket,
      ObjectWriter objects,
      EntityTags tags,
      PartWindow window,
      int partLength,
      String key) {
    this(bucket, objects, tags, window, partLength, key, 0);
  }

  @SuppressWarnings("MustBeClosedChecker") // Closed with this upload.
  private S3BlobUpload(
      S3Bucket bucket,
      ObjectWriter objects,
      EntityTags tags,
      PartWindow window,
      int partLength,
      String key,
      int sentParts) {
    this.bucket = bucket;
    this.objects = objects;
    this.tags = tags;
    this.partLength = partLength;
    this.key = key;
    this.parts = window.open(this::send, sentParts);
  }

  /** Goes on with an upload. I/O. */
  static S3BlobUpload resumed(
      S3Bucket bucket,
      ObjectWriter objects,
      EntityTags tags,
      PartWindow window,
      int partLength,
      UploadCheckpoint checkpoint,
      S3UploadState state)
      throws StorageException {
    String key = checkpoint.key();
    S3BlobUpload upload =
        new S3BlobUpload(bucket, objects, tags, window, partLength, key, state.parts().size());
    try {
      upload.restore(checkpoint, state);
      return upload;
    } catch (StorageException | RuntimeException e) {
      upload.leave();
      throw e;
    }
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
    deleteRests();
    return ref;
  }

  @Override
  public byte[] checkpoint() throws StorageException {
    requireUsable();
    isUsable = false;
    int number = parts.settle() + 1;
    ByteBuffer bytes = parts.filling();
    RepeatedParts earlier = repeated;
    if (earlier != null) {
      earlier.requireBeginsSame(number, bytes);
    }
    S3UploadState.Rest next = new S3UploadState.Rest(number, bytes.remaining());
    if (bytes.hasRemaining()) {
      try {
        objects.putRest(key, number, bytes);
      } catch (SdkException e) {
        throw bucket.errors().ofUpload(key, e);
      }
    }
    if (olderRest != 0 && olderRest != rest.number() && olderRest != number) {
      // The caller has kept the last checkpoint, which does not need it.
      objects.deleteRest(key, olderRest);
    }
    olderRest = rest.length() == 0 ? 0 : rest.number();
    rest = next;
    isKept = true;
    isUsable = true;
    return S3UploadState.toBytes(
        objects.markOf(key),
        Objects.requireNonNullElse(uploadId, ""),
        rest,
        olderRest,
        sent.values());
  }

  /** Whatever a checkpoint needs is in the bucket already. */
  @Override
  public void force() {}

  @Override
  public boolean mayCheckpoint() throws StorageException {
    RepeatedParts earlier = repeated;
    return earlier == null || earlier.mayBeginOf(parts.settle() + 1);
  }

  @Override
  public void leave() {
    if (!isKept || isCommitted) {
      close();
    } else if (!isLeft) {
      isLeft = true;
      isUsable = false;
      parts.close();
      objects.ended(key);
    }
  }

  @Override
  public void close() {
    if (isLeft) {
      return;
    }
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
      deleteRests();
    }
    objects.ended(key);
  }

  private void restore(UploadCheckpoint checkpoint, S3UploadState state) throws StorageException {
    isKept = true;
    olderRest = state.olderRest();
    rest = state.rest();
    state.parts().forEach(part -> sent.put(part.partNumber(), part));
    try {
      if (!state.uploadId().isEmpty()) {
        if (!objects.hasUpload(key, state.uploadId())) {
          throw new StorageException.BlobNotFound(S3BlobStore.NAME, checkpoint.ref(), null);
        }
        uploadId = state.uploadId();
      }
      if (checkpoint.mustRepeat()) {
        String id =
            state.uploadId().isEmpty() ? RepeatedParts.begun(bucket, checkpoint) : state.uploadId();
        uploadId = id.isEmpty() ? null : id;
        repeated = RepeatedParts.find(bucket, checkpoint, id, sent.size());
      }
      if (rest.length() > 0) {
        ByteBuffer bytes = objects.rest(key, rest);
        if (bytes.remaining() != rest.length()) {
          throw new StorageException.BlobCorrupt(
              S3BlobStore.NAME, checkpoint.ref(), "the rest of its upload is cut off", null);
        }
        parts.write(bytes);
      }
    } catch (SdkException e) {
      if (S3Errors.isNotFound(e) && !S3Errors.isNoBucket(e)) {
        throw new StorageException.BlobNotFound(S3BlobStore.NAME, checkpoint.ref(), e);
      }
      throw bucket.errors().ofUpload(key, e);
    }
    length = checkpoint.length();
  }

  private void deleteRests() {
    if (rest.length() > 0) {
      objects.deleteRest(key, rest.number());
    }
    if (olderRest != 0 && olderRest != rest.number()) {
      objects.deleteRest(key, olderRest);
    }
    rest = S3UploadState.Rest.NONE;
    olderRest = 0;
  }

  /** One part; without an upload id it is all there is. */
  private void send(int number, ByteBuffer part) throws StorageException {
    RepeatedParts earlier = repeated;
    if (earlier != null) {
      earlier.requireSame(number, part);
    }
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

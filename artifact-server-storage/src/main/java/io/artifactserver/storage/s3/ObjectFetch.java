package io.artifactserver.storage.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.window.ChunkSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/**
 * Fetches ranges of one object, each with one GET of exactly those bytes, pinned to one version of
 * the object. A body that breaks off is asked for again from where it broke. Thread-safe.
 */
final class ObjectFetch implements ChunkSource {
  private static final Logger LOGGER = LoggerFactory.getLogger(ObjectFetch.class);

  /** Of one chunk, the first one included; each must bring a byte, or waits longer. */
  private static final int MAX_ATTEMPTS = 5;

  private static final int FIRST_PAUSE_MILLIS = 50;

  private final BlobRef ref;
  private final S3Bucket bucket;
  private final EntityTags tags;

  ObjectFetch(BlobRef ref, S3Bucket bucket, EntityTags tags) {
    this.ref = ref;
    this.bucket = bucket;
    this.tags = tags;
  }

  /** Asks whether the object is there, and is the one that was stored. */
  void requireObject() throws StorageException {
    try {
      HeadObjectResponse head =
          bucket.ask(() ->
              bucket
                  .client()
                  .headObject(
                      request -> request.bucket(bucket.name()).key(bucket.objectName(ref.key()))));
      requireLength(head.contentLength());
      tags.require(ref, head.eTag());
    } catch (SdkException e) {
      throw bucket.errors().ofBlob(ref, "find", e);
    }
  }

  @Override
  public void fetch(ByteRange range, Room room) throws StorageException {
    for (int attempt = 1; ; attempt++) {
      int received = 0;
      try (ResponseInputStream<GetObjectResponse> body = get(range)) {
        try {
          ByteBuffer target = room.take();
          int before = target.position();
          try {
            fill(target, body, room);
            return;
          } finally {
            received = target.position() - before;
          }
        } catch (Throwable e) {
          // Closing would read the rest of the body.
          body.abort();
          throw e;
        }
      } catch (SdkException e) {
        throw bucket.errors().ofBlob(ref, "read " + range + " of", e);
      } catch (StorageException e) {
        throw e;
      } catch (IOException e) {
        if (attempt == MAX_ATTEMPTS || Thread.currentThread().isInterrupted()) {
          throw new StorageException.StorageUnavailable(
              S3BlobStore.NAME,
              "blob %s broke off %d times, last at %d: %s"
                  .formatted(ref.key(), attempt, range.position() + received, e.getMessage()),
              e);
        }
        LOGGER.debug("{} of blob {} broke off after {} bytes", range, ref.key(), received, e);
        range = new ByteRange(range.position() + received, range.length() - received);
        if (received == 0) {
          pause(attempt);
        }
      }
    }
  }

  private ResponseInputStream<GetObjectResponse> get(ByteRange range) throws StorageException {
    String pinned = tags.find(ref.key());
    GetObjectRequest request =
        GetObjectRequest.builder()
            .bucket(bucket.name())
            .key(bucket.objectName(ref.key()))
            .range("bytes=%d-%d".formatted(range.position(), range.end() - 1))
            .ifMatch(pinned)
            .build();
    ResponseInputStream<GetObjectResponse> body =
        bucket.ask(() -> bucket.client().getObject(request));
    try {
      requireRange(range, body.response());
      tags.require(ref, body.response().eTag());
      return body;
    } catch (StorageException e) {
      body.abort();
      throw e;
    }
  }

  private void requireRange(ByteRange range, GetObjectResponse answer) throws StorageException {
    String expected = "bytes %d-%d/%d".formatted(range.position(), range.end() - 1, ref.length());
    String contentRange = answer.contentRange();
    boolean isWhole = contentRange == null && range.equals(ByteRange.whole(ref.length()));
    if (isWhole) {
      requireLength(answer.contentLength());
    } else if (!expected.equals(contentRange)) {
      throw new StorageException.BlobCorrupt(
          S3BlobStore.NAME,
          ref,
          "its object answers \"%s\" when asked for \"%s\"".formatted(contentRange, expected),
          null);
    }
  }

  private void requireLength(@Nullable Long length) throws StorageException {
    if (!Objects.equals(length, ref.length())) {
      throw new StorageException.BlobCorrupt(
          S3BlobStore.NAME,
          ref,
          "its object has %s bytes, not %d".formatted(length, ref.length()),
          null);
    }
  }

  /** Reads to the end of the answer, so that its connection serves the next request. */
  private static void fill(ByteBuffer target, ResponseInputStream<?> body, Room room)
      throws IOException {
    while (target.hasRemaining()) {
      int length =
          body.read(target.array(), target.arrayOffset() + target.position(), target.remaining());
      if (length < 0) {
        throw new IOException(target.remaining() + " bytes are missing at the end");
      }
      target.position(target.position() + length);
      room.advanced();
    }
    if (body.read() >= 0) {
      throw new IOException("there are more bytes than were asked for");
    }
  }

  private void pause(int attempt) throws StorageException {
    try {
      int millis = FIRST_PAUSE_MILLIS << attempt;
      Thread.sleep(ThreadLocalRandom.current().nextInt(millis / 2, millis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException.StorageUnavailable(
          S3BlobStore.NAME, "the read of blob %s was cancelled".formatted(ref.key()), e);
    }
  }
}

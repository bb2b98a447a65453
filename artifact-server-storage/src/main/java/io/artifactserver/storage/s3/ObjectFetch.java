package io.artifactserver.storage.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.window.ChunkSource;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/**
 * Asks for ranges of one object, each with one GET of exactly those bytes, pinned to one version of
 * the object. Thread-safe.
 */
final class ObjectFetch implements ChunkSource {
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
      requireLength(Objects.toString(head.contentLength(), null));
      tags.require(ref, head.eTag());
    } catch (SdkException e) {
      throw bucket.errors().ofBlob(ref, "find", e);
    }
  }

  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    return new ObjectReader(this, range);
  }

  @Override
  public Optional<RangeReader> ask(ByteRange range) {
    return bucket
        .send(bucket.objectName(ref.key()), header(range), tags.find(ref.key()))
        .map(sent -> new ObjectReader(this, range, sent));
  }

  BlobRef ref() {
    return ref;
  }

  /** The failure that an error of the client is. */
  StorageException failed(ByteRange range, SdkException e) {
    return bucket.errors().ofBlob(ref, "read " + range + " of", e);
  }

  /**
   * Asks for a range; the caller closes the answer, or aborts it.
   *
   * @throws SdkException as the client throws it, when its attempts are used up
   */
  ObjectAnswer get(ByteRange range) throws StorageException {
    return checked(range, ask(header(range), tags.find(ref.key())));
  }

  /**
   * Waits for the answer to a request that was sent before, or asks again if it brought none.
   *
   * @throws SdkException as the client throws it, when its attempts are used up
   */
  ObjectAnswer get(ByteRange range, PresignedGets.Sent sent) throws StorageException {
    Optional<ObjectAnswer> answer = bucket.await(sent);
    return answer.isPresent() ? checked(range, answer.get()) : get(range);
  }

  private ObjectAnswer checked(ByteRange range, ObjectAnswer answer) throws StorageException {
    try {
      requireRange(range, "bytes " + positions(range) + '/' + ref.length(), answer);
      tags.require(ref, answer.entityTag());
      return answer;
    } catch (StorageException e) {
      answer.body().abort();
      throw e;
    }
  }

  private static String header(ByteRange range) {
    return "bytes=" + positions(range);
  }

  private static String positions(ByteRange range) {
    return range.position() + "-" + (range.end() - 1);
  }

  private ObjectAnswer ask(String range, @Nullable String pinned) throws StorageException {
    String name = bucket.objectName(ref.key());
    return bucket.ask(() ->
        bucket
            .presigned()
            .get(name, range, pinned)
            .orElseGet(() ->
                ObjectAnswer.of(
                    bucket
                        .client()
                        .getObject(get ->
                            get.bucket(bucket.name()).key(name).range(range).ifMatch(pinned)))));
  }

  private void requireRange(ByteRange range, String expected, ObjectAnswer answer)
      throws StorageException {
    String contentRange = answer.contentRange();
    boolean isWhole = contentRange == null && range.equals(ByteRange.whole(ref.length()));
    if (isWhole) {
      requireLength(answer.contentLength());
    } else if (!expected.equals(contentRange)) {
      String detail =
          "its object answers \"%s\" when asked for \"%s\"".formatted(contentRange, expected);
      if (contentRange != null && isOfAnotherLength(contentRange)) {
        throw new StorageException.BlobCorrupt(S3BlobStore.NAME, ref, detail, null);
      }
      // Such as 200 for 206: something on the way, which says nothing about the bytes.
      throw new StorageException.StorageUnavailable(
          S3BlobStore.NAME, "blob %s: %s".formatted(ref.key(), detail), null);
    }
  }

  private boolean isOfAnotherLength(String contentRange) {
    return contentRange.matches("bytes \\d+-\\d+/\\d+")
        && !contentRange.endsWith("/" + ref.length());
  }

  private void requireLength(@Nullable String length) throws StorageException {
    if (!Long.toString(ref.length()).equals(length)) {
      throw new StorageException.BlobCorrupt(
          S3BlobStore.NAME,
          ref,
          "its object has %s bytes, not %d".formatted(length, ref.length()),
          null);
    }
  }
}

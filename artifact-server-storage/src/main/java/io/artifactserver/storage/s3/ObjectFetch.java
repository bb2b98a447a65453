package io.artifactserver.storage.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.window.ChunkSource;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
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
      HeadObjectResponse head = bucket.head(bucket.objectName(ref.key()));
      requireLength(head);
      tags.require(ref, head.eTag());
    } catch (SdkException e) {
      throw bucket.errors().ofBlob(ref, "find", e);
    }
  }

  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    return new ObjectReader(this, range, bucket.attempts());
  }

  BlobRef ref() {
    return ref;
  }

  /** Classifies a failure of the client. */
  StorageException failed(ByteRange range, SdkException e) {
    return bucket.errors().ofBlob(ref, "read " + range + " of", e);
  }

  /**
   * Asks for a range and waits until the answer begins; the caller closes the answer, or aborts it.
   *
   * @param attempts that are left
   */
  ResponseInputStream<GetObjectResponse> get(ByteRange range, Attempts attempts)
      throws StorageException {
    ResponseInputStream<GetObjectResponse> answer;
    try {
      answer =
          bucket.ask(
              attempts,
              client ->
                  client.getObject(get ->
                      get.bucket(bucket.name())
                          .key(bucket.objectName(ref.key()))
                          .range("bytes=" + positions(range))
                          .ifMatch(tags.find(ref.key()))));
    } catch (SdkException e) {
      throw failed(range, e);
    }
    try {
      requireRange(range, answer.response());
      tags.require(ref, answer.response().eTag());
      return answer;
    } catch (StorageException e) {
      answer.abort();
      throw e;
    }
  }

  private static String positions(ByteRange range) {
    return range.position() + "-" + (range.end() - 1);
  }

  private void requireRange(ByteRange range, GetObjectResponse answer) throws StorageException {
    String expected = "bytes " + positions(range) + '/' + ref.length();
    String contentRange = answer.contentRange();
    boolean isWhole =
        contentRange == null
            && range.equals(ByteRange.whole(ref.length()))
            && hasLength(answer.contentLength());
    if (!isWhole && !expected.equals(contentRange)) {
      String detail =
          "its object answers \"%s\", %d bytes, when asked for \"%s\""
              .formatted(contentRange, answer.contentLength(), expected);
      if (contentRange != null && isOfAnotherLength(contentRange)) {
        throw new StorageException.BlobCorrupt(S3BlobStore.NAME, ref, detail, null);
      }
      // Such as 200 for 206, or 200 and an error: something on the way, which says nothing about
      // the bytes.
      throw new StorageException.StorageUnavailable(
          S3BlobStore.NAME, "blob %s: %s".formatted(ref.key(), detail), null);
    }
  }

  private boolean isOfAnotherLength(String contentRange) {
    return contentRange.matches("bytes \\d+-\\d+/\\d+")
        && !contentRange.endsWith("/" + ref.length());
  }

  private void requireLength(HeadObjectResponse head) throws StorageException {
    if (hasLength(head.contentLength())) {
      return;
    }
    String detail = "its object has %s bytes, not %d".formatted(head.contentLength(), ref.length());
    if (head.eTag() == null) {
      // No object's answer, but something's on the way.
      throw new StorageException.StorageUnavailable(
          S3BlobStore.NAME, "blob %s: %s, and no entity tag".formatted(ref.key(), detail), null);
    }
    throw new StorageException.BlobCorrupt(S3BlobStore.NAME, ref, detail, null);
  }

  private boolean hasLength(@Nullable Long length) {
    return length != null && length == ref.length();
  }
}

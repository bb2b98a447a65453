package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.remote.window.ChunkSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/**
 * Asks for ranges of one object, each with one GET of exactly those bytes, pinned to one version of
 * the object. Thread-safe.
 */
record ObjectFetch(BlobRef ref, S3Bucket bucket, EntityTags tags) implements ChunkSource {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectFetch.class);

  /** Asks whether the object is there, and is the one that was stored. */
  void requireObject() throws StorageException {
    Attempts attempts = bucket.attempts();
    while (true) {
      try {
        askOnce(attempts);
        return;
      } catch (OddAnswer odd) {
        if (!attempts.pauseBeforeNext(odd)) {
          throw odd.verdict();
        }
        LOG.debug("Blob {} is asked for again", ref.key(), odd);
      }
    }
  }

  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    return new ObjectReader(this, range, bucket.attempts());
  }

  /** Classifies a failure of the client. */
  StorageException failed(ByteRange range, SdkException e) {
    return bucket.errors().ofBlob(ref, "read " + range + " of", e);
  }

  /**
   * Asks for a range and waits until the answer begins; the caller closes the answer, or aborts it.
   * When the answer stays odd, one HEAD decides whether the blob is damaged or the storage at
   * fault.
   *
   * @param attempts that are left
   */
  ResponseInputStream<GetObjectResponse> get(ByteRange range, Attempts attempts)
      throws StorageException {
    while (true) {
      try {
        return getOnce(range, attempts);
      } catch (OddAnswer odd) {
        if (!attempts.pauseBeforeNext(odd)) {
          throw judge(odd, attempts);
        }
        LOG.debug("Blob {} is asked for {} again", ref.key(), range, odd);
      }
    }
  }

  private ResponseInputStream<GetObjectResponse> getOnce(ByteRange range, Attempts attempts)
      throws StorageException, OddAnswer {
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
      if (S3Errors.isAboutObject(e)) {
        String detail = "%d is the answer to %s".formatted(S3Errors.status(e), range);
        throw new OddAnswer(unavailable(detail, e));
      }
      throw failed(range, e);
    }
    try {
      requireRange(range, answer.response());
      if (!tags.isKnown(ref.key(), answer.response().eTag())) {
        throw new OddAnswer(unavailable("an answer to " + range + " has another entity tag", null));
      }
      return answer;
    } catch (OddAnswer e) {
      answer.abort();
      throw e;
    }
  }

  /** Asks once whether the object is right: a HEAD has no range that an answer could miss. */
  private StorageException judge(OddAnswer odd, Attempts spent) {
    if (Thread.currentThread().isInterrupted()) {
      return odd.verdict();
    }
    try {
      askOnce(spent);
      return odd.verdict();
    } catch (OddAnswer e) {
      return e.verdict();
    } catch (StorageException e) {
      return e;
    }
  }

  private void askOnce(Attempts attempts) throws StorageException, OddAnswer {
    HeadObjectResponse head;
    try {
      head = bucket.head(attempts, bucket.objectName(ref.key()));
    } catch (SdkException e) {
      StorageException failure = bucket.errors().ofBlob(ref, "find", e);
      if (S3Errors.isAboutObject(e)) {
        throw new OddAnswer(failure);
      }
      throw failure;
    }
    requireLength(head);
    if (!tags.isKnown(ref.key(), head.eTag())) {
      throw new OddAnswer(damaged("its object was replaced since it was stored"));
    }
  }

  private static String positions(ByteRange range) {
    return range.position() + "-" + (range.end() - 1);
  }

  private void requireRange(ByteRange range, GetObjectResponse answer) throws OddAnswer {
    String expected = "bytes " + positions(range) + '/' + ref.length();
    String contentRange = answer.contentRange();
    Long length = answer.contentLength();
    boolean isPart = expected.equals(contentRange) && (length == null || length == range.length());
    // A server may answer a range of everything with 200.
    boolean isWhole =
        contentRange == null
            && range.equals(ByteRange.whole(ref.length()))
            && length != null
            && length == ref.length();
    if (!isPart && !isWhole) {
      throw new OddAnswer(
          unavailable(
              "its object answers \"%s\", %s bytes, when asked for \"%s\""
                  .formatted(contentRange, length, expected),
              null));
    }
  }

  private void requireLength(HeadObjectResponse head) throws OddAnswer {
    Long length = head.contentLength();
    if (length != null && length == ref.length()) {
      return;
    }
    String detail = "its object has %s bytes, not %d".formatted(length, ref.length());
    throw new OddAnswer(
        head.eTag() == null
            // No object's answer, but something's on the way.
            ? unavailable(detail + ", and no entity tag", null)
            : damaged(detail));
  }

  private StorageException damaged(String detail) {
    return new StorageException.BlobCorrupt(S3BlobStore.NAME, ref, detail, null);
  }

  private StorageException unavailable(String detail, @Nullable Throwable cause) {
    return new StorageException.StorageUnavailable(
        S3BlobStore.NAME, "blob %s: %s".formatted(ref.key(), detail), cause);
  }
}

package io.artifactserver.storage.s3;

import io.artifactserver.core.blob.StorageException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Makes requests and tells an answer from an outage; retries are the client's. Thread-safe.
 *
 * @param client for all requests
 * @param presigned the first attempt of a read
 * @param name of the bucket
 * @param prefix of all objects; empty, or ends in a slash
 * @param outage shared by all requests
 * @param errors classifies failures
 */
record S3Bucket(
    S3Client client,
    PresignedGets presigned,
    String name,
    String prefix,
    Outage outage,
    S3Errors errors) {
  private static final String BLOBS = "blobs/";

  /** The name of a blob's object. */
  String objectName(String key) {
    return blobPrefix() + key;
  }

  /** What the names of all blobs' objects begin with. */
  String blobPrefix() {
    return prefix + BLOBS;
  }

  /** The name of an object that is no blob. */
  String otherName(String name) {
    return prefix + name;
  }

  /**
   * Sends a GET if that waits for nothing and the server is there, as far as is known.
   *
   * @return to be awaited here, or aborted; empty if it is to be asked for
   */
  Optional<PresignedGets.Sent> send(String objectName, String range, @Nullable String pinned) {
    return outage.isDown() ? Optional.empty() : presigned.send(objectName, range, pinned);
  }

  /** Waits for the answer; empty if it is to be asked for again. */
  Optional<ObjectAnswer> await(PresignedGets.Sent sent) {
    Optional<ObjectAnswer> answer = sent.await();
    if (answer.isPresent()) {
      outage.answered();
    }
    return answer;
  }

  /**
   * Makes a request.
   *
   * @throws SdkException as the client throws it, when its attempts are used up
   * @throws StorageException if the server is known to be away
   */
  <T> T ask(Supplier<T> request) throws StorageException {
    long begun = outage.pass();
    try {
      T answer = request.get();
      outage.answered();
      return answer;
    } catch (AbortedException e) {
      outage.unknown();
      throw e;
    } catch (SdkException e) {
      if (S3Errors.isAnswer(e)) {
        outage.answered();
      } else if (Thread.currentThread().isInterrupted()) {
        outage.unknown();
      } else {
        outage.failed(begun);
      }
      throw e;
    } catch (UncheckedIOException e) {
      // The SDK parses the body of some answers after the last of its attempts, and throws what
      // reading it threw.
      outage.answered();
      throw S3Errors.brokeOff(e);
    } catch (RuntimeException | Error e) {
      outage.unknown();
      throw e;
    }
  }
}

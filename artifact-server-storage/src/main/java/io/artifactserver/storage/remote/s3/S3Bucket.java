package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.function.Function;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/**
 * Makes requests, repeats those that failed, and tells an answer from an outage. Thread-safe.
 *
 * @param client for all requests; makes one attempt
 * @param presigner for the address that clients reach
 * @param addressValidity how long a signed address is good at least
 * @param retryRule for all requests
 * @param name of the bucket
 * @param prefix of all objects; empty, or ends in a slash
 * @param outage shared by all requests
 * @param errors classifies failures
 */
record S3Bucket(
    S3Client client,
    S3Presigner presigner,
    Duration addressValidity,
    RetryStrategy retryRule,
    String name,
    String prefix,
    Outage outage,
    S3Errors errors) {
  private static final String BLOBS = "blobs/";
  private static final String RESTS = "uploads/";

  /** A download that a signed address is good for, however large the blob, in bytes a second. */
  private static final long SLOWEST = 100_000;

  /** S3 refuses more. */
  private static final Duration MAX_VALIDITY = Duration.ofDays(7);

  /** The name of a blob's object. */
  String objectName(String key) {
    return blobPrefix() + key;
  }

  /** The prefix of the names of all blobs' objects. */
  String blobPrefix() {
    return prefix + BLOBS;
  }

  /** The name of the object with the bytes of an upload's part that is not full. */
  String restName(String key, String number) {
    return restPrefix() + key + '/' + number;
  }

  /** The prefix of the names of all these objects. */
  String restPrefix() {
    return prefix + RESTS;
  }

  /** The name of an object that is no blob. */
  String otherName(String name) {
    return prefix + name;
  }

  /** Asks for the metadata of an object. Otherwise as {@link #ask(Function)}. */
  HeadObjectResponse head(String objectName) throws StorageException {
    return head(attempts(), objectName);
  }

  /** As {@link #head(String)}, within an operation that has begun. */
  HeadObjectResponse head(Attempts attempts, String objectName) throws StorageException {
    return ask(
        attempts, client -> client.headObject(request -> request.bucket(name).key(objectName)));
  }

  /** Deletes a blob's object. Otherwise as {@link #ask(Function)}. */
  void delete(String key) throws StorageException {
    ask(client -> client.deleteObject(request -> request.bucket(name).key(objectName(key))));
  }

  /**
   * An address of a blob's object, for GET, that is good for as long as a slow client needs. May
   * ask for credentials.
   */
  URI sign(BlobRef ref, String mediaType, String contentDisposition) {
    return URI.create(
        presigner
            .presignGetObject(presign ->
                presign
                    .signatureDuration(validity(ref.length()))
                    .getObjectRequest(get ->
                        get.bucket(name)
                            .key(objectName(ref.key()))
                            .responseContentType(mediaType)
                            .responseContentDisposition(contentDisposition)))
            .url()
            .toExternalForm());
  }

  private Duration validity(long length) {
    Duration slow = Duration.ofSeconds(length / SLOWEST);
    Duration longer = slow.compareTo(addressValidity) > 0 ? slow : addressValidity;
    return longer.compareTo(MAX_VALIDITY) > 0 ? MAX_VALIDITY : longer;
  }

  /** The attempts of an operation that begins. */
  Attempts attempts() {
    return new Attempts(retryRule);
  }

  /**
   * Makes a request, again if the first attempts fail.
   *
   * @throws SdkException as the client throws it, when the attempts are used up
   * @throws StorageException if the server is known to be away
   */
  <T> T ask(Function<S3Client, T> request) throws StorageException {
    return ask(attempts(), request);
  }

  /**
   * Makes a request of an operation that has begun.
   *
   * @param attempts that are left
   * @throws SdkException as the client throws it, when the attempts are used up
   * @throws StorageException if the server is known to be away
   */
  <T> T ask(Attempts attempts, Function<S3Client, T> request) throws StorageException {
    long begun = outage.pass();
    while (true) {
      try {
        T answer = request.apply(client);
        outage.answered();
        return answer;
      } catch (SdkException e) {
        if (!attempts.pauseBeforeNext(e)) {
          noteFailure(e, begun);
          throw e;
        }
      } catch (UncheckedIOException e) {
        // The SDK parses the body of some answers last of all, and throws what reading it threw.
        outage.answered();
        throw S3Errors.brokeOff(e);
      }
    }
  }

  /** A request that was given up tells nothing of the server. */
  private void noteFailure(SdkException e, long begun) {
    if (S3Errors.isAnswer(e)) {
      outage.answered();
    } else if (!(e instanceof AbortedException || Thread.currentThread().isInterrupted())) {
      outage.failed(begun);
    }
  }
}

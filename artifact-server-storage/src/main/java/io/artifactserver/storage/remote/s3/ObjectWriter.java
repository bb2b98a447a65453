package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/**
 * Writes objects with what the settings say of them, and never over another one. Thread-safe.
 *
 * <p>Each object carries a mark of its upload: when a request that was repeated is told that there
 * is an object already, the mark tells whether it is the one that the first attempt wrote.
 */
final class ObjectWriter {
  private static final Logger LOGGER = LoggerFactory.getLogger(ObjectWriter.class);
  private static final String MARK = "upload";
  private static final String ANY = "*";
  private static final String MEDIA_TYPE = "application/octet-stream";

  /**
   * With a server that takes nothing of a body, in read time-outs: one for the answer, and of the
   * default of 10 s two for the longest pause before another attempt, one for a connection.
   */
  private static final int PATIENCE = 4;

  private final S3Bucket bucket;
  private final S3Properties properties;

  /** Marks of the uploads under way, by key. */
  private final Map<String, String> marks = new ConcurrentHashMap<>();

  /** Whether the server knows If-None-Match; found out by the first write. */
  private volatile boolean isConditional = true;

  ObjectWriter(S3Bucket bucket, S3Properties properties) {
    this.bucket = bucket;
    this.properties = properties;
  }

  /** An upload begins. */
  void begun(String key) {
    resumed(key, BlobRef.newKey());
  }

  /** An upload goes on. */
  void resumed(String key, String mark) {
    marks.put(key, mark);
  }

  /** The mark of an upload that is under way. */
  String markOf(String key) {
    return Objects.requireNonNull(marks.get(key));
  }

  /** An upload is over. */
  void ended(String key) {
    marks.remove(key);
  }

  /** Keys of the uploads under way. */
  Set<String> underWay() {
    return marks.keySet();
  }

  /** Begins an upload in parts, and returns its id. */
  String create(String key) throws StorageException {
    CreateMultipartUploadRequest.Builder request =
        CreateMultipartUploadRequest.builder()
            .bucket(bucket.name())
            .key(bucket.objectName(key))
            .contentType(MEDIA_TYPE)
            .metadata(mark(key))
            .storageClass(setOrNull(properties.storageClass()))
            .serverSideEncryption(setOrNull(properties.serverSideEncryption()))
            .ssekmsKeyId(setOrNull(properties.kmsKeyId()));
    if (properties.checksums()) {
      request.checksumAlgorithm(ChecksumAlgorithm.CRC32_C);
    }
    return bucket.ask(client -> client.createMultipartUpload(request.build())).uploadId();
  }

  /** Sends one part, a heap buffer. */
  CompletedPart sendPart(String key, String uploadId, int number, ByteBuffer part)
      throws StorageException {
    String checksum = checksum(part);
    UploadPartResponse answer =
        bucket.ask(client ->
            send(
                part,
                body ->
                    client.uploadPart(
                        request ->
                            request
                                .bucket(bucket.name())
                                .key(bucket.objectName(key))
                                .uploadId(uploadId)
                                .partNumber(number)
                                .contentLength((long) part.remaining())
                                .checksumCRC32C(checksum),
                        body)));
    return CompletedPart.builder()
        .partNumber(number)
        .eTag(answer.eTag())
        .checksumCRC32C(checksum)
        .build();
  }

  /** Makes an object of the parts. */
  void complete(String key, String uploadId, Collection<CompletedPart> parts)
      throws StorageException {
    writeBlob(
        key,
        (client, condition) ->
            client.completeMultipartUpload(request ->
                request
                    .bucket(bucket.name())
                    .key(bucket.objectName(key))
                    .uploadId(uploadId)
                    .ifNoneMatch(condition)
                    .multipartUpload(upload -> upload.parts(List.copyOf(parts)))));
  }

  /** Makes an object of one request; the bytes are in a heap buffer. */
  void put(String key, ByteBuffer bytes) throws StorageException {
    PutObjectRequest.Builder request =
        PutObjectRequest.builder()
            .bucket(bucket.name())
            .key(bucket.objectName(key))
            .contentType(MEDIA_TYPE)
            .contentLength((long) bytes.remaining())
            .metadata(mark(key))
            .storageClass(setOrNull(properties.storageClass()))
            .serverSideEncryption(setOrNull(properties.serverSideEncryption()))
            .ssekmsKeyId(setOrNull(properties.kmsKeyId()))
            .checksumCRC32C(checksum(bytes));
    writeBlob(
        key,
        (client, condition) ->
            send(bytes, body -> client.putObject(request.ifNoneMatch(condition).build(), body)));
  }

  /** Writes the bytes of a part that is not full; they replace fewer ones of the same part. */
  void putRest(String key, int number, ByteBuffer rest) throws StorageException {
    PutObjectRequest request =
        PutObjectRequest.builder()
            .bucket(bucket.name())
            .key(bucket.restName(key, String.valueOf(number)))
            .contentType(MEDIA_TYPE)
            .contentLength((long) rest.remaining())
            .storageClass(setOrNull(properties.storageClass()))
            .serverSideEncryption(setOrNull(properties.serverSideEncryption()))
            .ssekmsKeyId(setOrNull(properties.kmsKeyId()))
            .checksumCRC32C(checksum(rest))
            .build();
    var _ = bucket.ask(client -> send(rest, body -> client.putObject(request, body)));
  }

  /** The first bytes of a part that is not full. */
  ByteBuffer rest(String key, S3UploadState.Rest rest) throws StorageException {
    // The object may have more: a later checkpoint of which nobody knows.
    byte[] bytes =
        bucket
            .ask(client ->
                client.getObjectAsBytes(request ->
                    request
                        .bucket(bucket.name())
                        .key(bucket.restName(key, String.valueOf(rest.number())))
                        .range("bytes=0-" + (rest.length() - 1))))
            .asByteArray();
    return ByteBuffer.wrap(bytes);
  }

  /** Deletes the bytes of a part that is full by now; what cannot be asked is the sweeper's. */
  void deleteRest(String key, int number) {
    deleteRest(key, String.valueOf(number));
  }

  void deleteRest(String key, String number) {
    try {
      var _ =
          bucket.ask(client ->
              client.deleteObject(
                  request -> request.bucket(bucket.name()).key(bucket.restName(key, number))));
    } catch (SdkException | StorageException e) {
      LOGGER.debug("Leaving the rest of blob {} to the sweeper", key, e);
    }
  }

  /** Whether there is an upload in parts. */
  boolean hasUpload(String key, String uploadId) throws StorageException {
    try {
      var _ =
          bucket.ask(client ->
              client.listParts(request ->
                  request
                      .bucket(bucket.name())
                      .key(bucket.objectName(key))
                      .uploadId(uploadId)
                      .maxParts(1)));
      return true;
    } catch (SdkException e) {
      if (S3Errors.isNotFound(e) && !S3Errors.isNoBucket(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Writes a small object that is no blob, unless there is one of that name. */
  void putOnce(String name, String text) throws StorageException {
    PutObjectRequest.Builder request =
        PutObjectRequest.builder().bucket(bucket.name()).key(name).contentType("text/plain");
    boolean _ =
        write(
            name,
            null,
            (client, condition) ->
                client.putObject(
                    request.ifNoneMatch(condition).build(), RequestBody.fromString(text)));
  }

  /** Deletes what a failed commit may have written all the same. */
  void discard(String key) {
    try {
      if (isMarked(bucket.objectName(key), marks.get(key))) {
        bucket.delete(key);
      }
    } catch (SdkException | StorageException e) {
      LOGGER.debug("Leaving blob {} to the sweeper", key, e);
    }
  }

  /** Gives an upload in parts up; what cannot be asked is left to the sweeper. */
  void abort(String key, String uploadId) {
    try {
      bucket.ask(client ->
          client.abortMultipartUpload(request ->
              request.bucket(bucket.name()).key(bucket.objectName(key)).uploadId(uploadId)));
    } catch (SdkException | StorageException e) {
      LOGGER.debug("Leaving upload {} of blob {} to the sweeper", uploadId, key, e);
    }
  }

  private void writeBlob(String key, BiFunction<S3Client, @Nullable String, Object> request)
      throws StorageException {
    if (!write(bucket.objectName(key), marks.get(key), request)) {
      throw new StorageException.StorageUnavailable(
          S3BlobStore.NAME, "blob %s exists already".formatted(key), null);
    }
  }

  /**
   * Writes an object, unless there is one of that name.
   *
   * @param mark that tells the object from others; null if it has none
   * @return whether the object of that name is this one
   */
  private boolean write(
      String name, @Nullable String mark, BiFunction<S3Client, @Nullable String, Object> request)
      throws StorageException {
    while (true) {
      boolean conditional = isConditional;
      try {
        if (!conditional && find(name).isPresent()) {
          return false;
        }
        bucket.ask(client -> request.apply(client, conditional ? ANY : null));
        return true;
      } catch (SdkException e) {
        if (conditional && S3Errors.isConditionRefused(e)) {
          LOGGER.info("The S3 server does not know If-None-Match; objects are looked for instead");
          isConditional = false;
        } else if (!(S3Errors.isPreconditionFailed(e)
            || S3Errors.isNotFound(e)
            || S3Errors.isBrokenOff(e))) {
          throw e;
        } else if (isMarked(name, mark)) {
          // An attempt whose answer was lost wrote it.
          return true;
        } else if (S3Errors.isPreconditionFailed(e)) {
          return false;
        } else {
          throw e;
        }
      }
    }
  }

  private boolean isMarked(String name, @Nullable String mark) throws StorageException {
    return mark != null
        && find(name).filter(object -> mark.equals(object.metadata().get(MARK))).isPresent();
  }

  private Optional<HeadObjectResponse> find(String name) throws StorageException {
    try {
      return Optional.of(bucket.head(name));
    } catch (SdkException e) {
      if (S3Errors.isNotFound(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Map<String, String> mark(String key) {
    return Map.of(MARK, markOf(key));
  }

  private @Nullable String checksum(ByteBuffer bytes) {
    if (!properties.checksums()) {
      return null;
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    byte[] value = ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
    return Base64.getEncoder().encodeToString(value);
  }

  private <T> T send(ByteBuffer bytes, Function<RequestBody, T> request) {
    return WatchedBody.send(
        bytes, properties.readTimeout().multipliedBy(PATIENCE), MEDIA_TYPE, request);
  }

  private static @Nullable String setOrNull(String setting) {
    return setting.isEmpty() ? null : setting;
  }
}

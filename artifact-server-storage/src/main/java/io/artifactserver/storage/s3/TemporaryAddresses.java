package io.artifactserver.storage.s3;

import java.net.URI;
import java.time.Duration;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/**
 * Signs addresses of objects. Thread-safe.
 *
 * @param presigner for the address that clients reach
 * @param bucket name
 * @param validity of an address
 */
record TemporaryAddresses(S3Presigner presigner, String bucket, Duration validity) {
  /** An address for GET. May ask for credentials. */
  URI sign(String objectName, String mediaType, String contentDisposition) {
    return URI.create(
        presigner
            .presignGetObject(presign ->
                presign
                    .signatureDuration(validity)
                    .getObjectRequest(get ->
                        get.bucket(bucket)
                            .key(objectName)
                            .responseContentType(mediaType)
                            .responseContentDisposition(contentDisposition)))
            .url()
            .toExternalForm());
  }
}

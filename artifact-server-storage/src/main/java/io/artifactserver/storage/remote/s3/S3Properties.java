package io.artifactserver.storage.remote.s3;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * The bucket and how it is used. Immutable.
 *
 * @param endpoint address of a server other than AWS; empty for AWS
 * @param region of the bucket; other servers mostly ignore it
 * @param bucket that keeps the blobs; there must be one
 * @param prefix of every object's name, so that a bucket can be shared; empty for none
 * @param accessKey empty for the SDK's own chain: environment, profile, container, instance
 * @param secretKey a secret
 * @param pathStyle whether the bucket is in the path and not in the host's name
 * @param createBucket whether to create a missing bucket
 * @param chunkSize bytes that are fetched with one request
 * @param window most chunks of one download, and parts of one upload, in flight and in memory
 * @param partSize of an upload's first parts; grows with the number of parts
 * @param storageClass of new objects; empty for the bucket's
 * @param serverSideEncryption {@code AES256}, {@code aws:kms} or {@code aws:kms:dsse}; empty for
 *     the bucket's
 * @param kmsKeyId for {@code aws:kms}; empty for the account's
 * @param checksums whether parts carry a CRC32C that the server verifies and keeps
 * @param maxConnections at once, a count
 * @param connectTimeout until a connection stands
 * @param readTimeout without a byte
 * @param startTimeout how long a start waits for a server that does not answer yet
 * @param maxAttempts of one request, the first one included; a read counts all its requests, also
 *     those for the rest of an answer that broke off
 * @param redirectValidity how long an address is good that a client is redirected to; longer if the
 *     blob takes longer at 100 KB/s
 * @param publicEndpoint the server's address as clients see it, if it is another one
 */
@ConfigurationProperties("artifact-server.storage.s3")
public record S3Properties(
    @DefaultValue("") String endpoint,
    @DefaultValue("us-east-1") String region,
    @DefaultValue("") String bucket,
    @DefaultValue("") String prefix,
    @DefaultValue("") String accessKey,
    @DefaultValue("") String secretKey,
    @DefaultValue("false") boolean pathStyle,
    @DefaultValue("false") boolean createBucket,
    @DefaultValue("1MB") DataSize chunkSize,
    @DefaultValue("16") int window,
    @DefaultValue("8MB") DataSize partSize,
    @DefaultValue("") String storageClass,
    @DefaultValue("") String serverSideEncryption,
    @DefaultValue("") String kmsKeyId,
    @DefaultValue("true") boolean checksums,
    @DefaultValue("256") int maxConnections,
    @DefaultValue("5s") Duration connectTimeout,
    @DefaultValue("10s") Duration readTimeout,
    @DefaultValue("30s") Duration startTimeout,
    @DefaultValue("4") int maxAttempts,
    @DefaultValue("15m") Duration redirectValidity,
    @DefaultValue("") String publicEndpoint) {
  /** The prefix of every property's name. */
  static final String PREFIX = "artifact-server.storage.s3";

  private static final int MAX_CHUNK_LENGTH = 64 << 20;
  private static final int MIN_PART_LENGTH = 5 << 20;
  private static final int MAX_PART_LENGTH = 512 << 20;
  private static final Duration MAX_REDIRECT_VALIDITY = Duration.ofDays(7);

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public S3Properties {
    require(
        chunkSize.toBytes() >= 64 << 10 && chunkSize.toBytes() <= MAX_CHUNK_LENGTH,
        "chunk-size must be 64KB to 64MB, not " + chunkSize);
    require(window >= 1 && window <= 1024, "window must be 1 to 1024, not " + window);
    require(
        partSize.toBytes() >= MIN_PART_LENGTH && partSize.toBytes() <= MAX_PART_LENGTH,
        "part-size must be 5MB to 512MB, not " + partSize);
    require(maxConnections >= 1, "max-connections must be positive, not " + maxConnections);
    require(
        maxAttempts >= 1 && maxAttempts <= 20, "max-attempts must be 1 to 20, not " + maxAttempts);
    require(isPositive(connectTimeout), "connect-timeout must be positive, not " + connectTimeout);
    require(isPositive(readTimeout), "read-timeout must be positive, not " + readTimeout);
    require(
        !startTimeout.isNegative(), "start-timeout must not be negative, but is " + startTimeout);
    require(
        isPositive(redirectValidity) && redirectValidity.compareTo(MAX_REDIRECT_VALIDITY) <= 0,
        "redirect-validity must be at most 7d, not " + redirectValidity);
    require(
        accessKey.isEmpty() == secretKey.isEmpty(),
        "access-key and secret-key are set together, or neither of them");
    require(
        !prefix.startsWith("/") && prefix.indexOf('\\') < 0,
        "prefix begins without a slash, not as \"" + prefix + '"');
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "S3Properties[endpoint=%s, bucket=%s, prefix=%s]".formatted(endpoint, bucket, prefix);
  }

  private static boolean isPositive(Duration duration) {
    return duration.compareTo(Duration.ZERO) > 0;
  }

  private static void require(boolean isSo, String rule) {
    Assert.isTrue(isSo, PREFIX + '.' + rule);
  }
}

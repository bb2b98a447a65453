package io.artifactserver.rest.api.artifact;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Uploads. Immutable.
 *
 * @param maxArtifactSize largest single artifact; default 64 GB. Raise it for larger disk images.
 * @param maxTotalSize of all stored blobs together; default none but the disk's. Lower it to leave
 *     room for other users of the disk.
 * @param maxConcurrent uploads at the same time, default 16. A token has at most as many as are
 *     left to others: alone half of them. More are asked to come back. Each holds 1 MiB: raise it
 *     with the heap.
 * @param minRate bytes that an upload brings a second, over a minute of waiting for it; default 1
 *     KB. A slower one is ended with a 408. With 0 none is: then clients that trickle hold their
 *     places for as long as they like.
 * @param maxUnfinished uploads over several requests that are not complete, default 2000. A token
 *     has at most half of them. Raise it for more pipelines at the same time.
 * @param expiry how long an unfinished upload is kept after its last byte; default 24 h. Raise it
 *     for links that are away for longer.
 */
@ConfigurationProperties("artifact-server.upload")
public record UploadProperties(
    @DefaultValue("64GB") DataSize maxArtifactSize,
    @DefaultValue("9223372036854775807B") DataSize maxTotalSize,
    @DefaultValue("16") int maxConcurrent,
    @DefaultValue("1KB") DataSize minRate,
    @DefaultValue("2000") int maxUnfinished,
    @DefaultValue("24h") Duration expiry) {
  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public UploadProperties {
    Assert.isTrue(
        !maxArtifactSize.isNegative(),
        "artifact-server.upload.max-artifact-size must not be negative, but is " + maxArtifactSize);
    Assert.isTrue(
        !maxTotalSize.isNegative(),
        "artifact-server.upload.max-total-size must not be negative, but is " + maxTotalSize);
    Assert.isTrue(
        maxConcurrent >= 1,
        "artifact-server.upload.max-concurrent must be at least 1, not " + maxConcurrent);
    Assert.isTrue(
        !minRate.isNegative(),
        "artifact-server.upload.min-rate must not be negative, but is " + minRate);
    Assert.isTrue(
        maxUnfinished >= 2,
        "artifact-server.upload.max-unfinished must be at least 2, not " + maxUnfinished);
    Assert.isTrue(
        expiry.isPositive(), "artifact-server.upload.expiry must be positive, but is " + expiry);
  }
}

package io.artifactserver.rest.app;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Deletion. Immutable.
 *
 * @param gracePeriod how long the bytes of a deleted artifact stay, so that running downloads
 *     finish; default 15 minutes. Raise it for devices on slow links.
 * @param orphanAge how old what a crash left behind must be before it is swept, longer than the
 *     longest upload; default 1 day. Raise it when uploads take longer.
 * @param sweepInterval how often expired and orphaned blobs are looked for, and suspect ones read
 *     again; default 5 minutes. Raise it when listing the blobs is slow or costs money.
 * @param retentionInterval how often releases are deleted that no rule of their repository keeps;
 *     default 1 hour. Raise it for repositories with very many artifacts.
 */
@ConfigurationProperties("artifact-server.retire")
public record RetireProperties(
    @DefaultValue("15m") Duration gracePeriod,
    @DefaultValue("1d") Duration orphanAge,
    @DefaultValue("5m") Duration sweepInterval,
    @DefaultValue("1h") Duration retentionInterval) {
  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public RetireProperties {
    Assert.isTrue(
        !gracePeriod.isNegative(),
        "artifact-server.retire.grace-period must not be negative, but is " + gracePeriod);
    Assert.isTrue(
        orphanAge.isPositive(),
        "artifact-server.retire.orphan-age must be positive, not " + orphanAge);
    Assert.isTrue(
        sweepInterval.isPositive(),
        "artifact-server.retire.sweep-interval must be positive, not " + sweepInterval);
    Assert.isTrue(
        retentionInterval.isPositive(),
        "artifact-server.retire.retention-interval must be positive, not " + retentionInterval);
  }
}

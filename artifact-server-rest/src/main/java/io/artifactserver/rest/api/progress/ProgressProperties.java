package io.artifactserver.rest.api.progress;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * The progress of devices. Immutable.
 *
 * @param enabled whether it is taken down; default {@code true}. Switch it off where nobody asks.
 * @param deviceHeader field of a request that names the device; default {@code RAUC-Serial}. Empty
 *     where devices are known by their tokens or certificates alone.
 * @param maxPending most devices whose progress is not in the database yet; default 100000. Raise
 *     it with the heap, 450 bytes each, when more devices download at the same time; those that ask
 *     here and there take up to 1.2 KB.
 * @param maxNamedPerAddress most of them that named themselves in the field, without a token or a
 *     certificate, from one address, or one /64 network of IPv6; default 1000. Raise it for sites
 *     behind one address.
 * @param maxRows most rows in the database, one for each device and artifact; default 10 million,
 *     which need about 4.5 GB. Nothing new is taken down then. Raise it with the disk.
 * @param maxNewPerCaller most rows that begin in a day with names that one token chose, or one
 *     address without a token; default 100000, about 45 MB. Raise it for a token or an address that
 *     more devices share.
 * @param retention how long the progress of a device that downloads nothing more is kept; default
 *     90 days. Lower it when the database is small.
 */
@ConfigurationProperties("artifact-server.progress")
public record ProgressProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("RAUC-Serial") String deviceHeader,
    @DefaultValue("100000") int maxPending,
    @DefaultValue("1000") int maxNamedPerAddress,
    @DefaultValue("10000000") long maxRows,
    @DefaultValue("100000") int maxNewPerCaller,
    @DefaultValue("90d") Duration retention) {
  private static final String PREFIX = "artifact-server.progress.";

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public ProgressProperties {
    Assert.isTrue(maxPending >= 1, PREFIX + "max-pending must be at least 1, not " + maxPending);
    Assert.isTrue(
        maxNamedPerAddress >= 0,
        PREFIX + "max-named-per-address must not be negative, but is " + maxNamedPerAddress);
    Assert.isTrue(maxRows >= 1, PREFIX + "max-rows must be at least 1, not " + maxRows);
    Assert.isTrue(
        maxNewPerCaller >= 0,
        PREFIX + "max-new-per-caller must not be negative, but is " + maxNewPerCaller);
    Assert.isTrue(retention.isPositive(), PREFIX + "retention must be positive, not " + retention);
  }
}

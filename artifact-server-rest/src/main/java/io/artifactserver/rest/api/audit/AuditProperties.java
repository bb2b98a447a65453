package io.artifactserver.rest.api.audit;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * For how long the audit is kept. Immutable.
 *
 * @param retention how long an entry is kept at least, if there are not too many; default ten
 *     years. Set it to what the law or your customers ask for.
 * @param maxEntries most entries; default 10 million, which need about 10 GB of the database. The
 *     oldest go, though they are younger than {@code retention}. Raise it with the disk.
 * @param maxChangesPerCaller most changes of a publisher in a day, in UTC: each is an entry, and a
 *     deleted path is remembered. Admins may change more.
 */
@ConfigurationProperties("artifact-server.audit")
public record AuditProperties(
    @DefaultValue("3650d") Duration retention,
    @DefaultValue("10000000") long maxEntries,
    @DefaultValue("20000") int maxChangesPerCaller) {
  private static final String PREFIX = "artifact-server.audit.";
  private static final long MIN_ENTRIES = 1000;

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public AuditProperties {
    Assert.isTrue(
        retention.compareTo(Duration.ofDays(1)) >= 0,
        PREFIX + "retention must be at least 1d, not " + retention);
    Assert.isTrue(
        maxEntries >= MIN_ENTRIES,
        PREFIX + "max-entries must be at least %d, not %d".formatted(MIN_ENTRIES, maxEntries));
    Assert.isTrue(
        maxChangesPerCaller >= 1,
        PREFIX + "max-changes-per-caller must be at least 1, not " + maxChangesPerCaller);
  }
}

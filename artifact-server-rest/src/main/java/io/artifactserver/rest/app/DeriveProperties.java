package io.artifactserver.rest.app;

import io.artifactserver.core.derive.DerivedForm;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * The forms that are computed of artifacts for clients that update from an older one. Immutable.
 *
 * @param enabled whether zsync's control files and casync's indexes and chunks are there; default
 *     yes. Say no when no device uses them.
 * @param compressed whether chunks are kept compressed, too, where that saves a tenth or more;
 *     default yes. It takes up to nine tenths of the artifact's size, a third for a file system.
 *     Say no when disk is scarcer than what devices download.
 * @param minSize of an artifact that has them; default 1 MB. Below it a whole download costs less
 *     than finding out what changed.
 * @param maxSize of an artifact that has them; default 16 GB. An index takes 0.7 MB of memory a GB
 *     of its artifact.
 * @param share of one processor that computing them may take, above 0, at most 1; default 0.5.
 *     Raise it when updates are published in a hurry, lower it when downloads suffer.
 */
@ConfigurationProperties("artifact-server.derive")
public record DeriveProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("true") boolean compressed,
    @DefaultValue("1MB") DataSize minSize,
    @DefaultValue("16GB") DataSize maxSize,
    @DefaultValue("0.5") double share) {
  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public DeriveProperties {
    Assert.isTrue(
        minSize.toBytes() > 0, "artifact-server.derive.min-size must be positive, not " + minSize);
    Assert.isTrue(
        maxSize.compareTo(DataSize.ofGigabytes(64)) <= 0,
        "artifact-server.derive.max-size must be at most 64GB, not " + maxSize);
    Assert.isTrue(
        share > 0 && share <= 1,
        "artifact-server.derive.share is above 0 and at most 1, not " + share);
  }

  /** Whether a form is made at all. */
  boolean allows(DerivedForm form) {
    return enabled && (compressed || !(form instanceof DerivedForm.Packed));
  }
}

package io.artifactserver.storage.local.mapped;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * How many local files are kept mapped. Immutable.
 *
 * @param mappedFiles how many files stay mapped into memory, at least 1; default 256. Raise it when
 *     more artifacts than that are hot at once; a mapping takes address space, no memory.
 * @param mappedFilesIdleTime after which an unused mapping is closed; default 5 minutes. Shorten it
 *     when address space is scarce.
 */
@ConfigurationProperties("artifact-server.storage")
public record MappedFilesProperties(
    @DefaultValue("256") int mappedFiles, @DefaultValue("5m") Duration mappedFilesIdleTime) {
  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public MappedFilesProperties {
    Assert.isTrue(
        mappedFiles >= 1,
        "artifact-server.storage.mapped-files must be at least 1, not " + mappedFiles);
    Assert.isTrue(
        mappedFilesIdleTime.isPositive(),
        "artifact-server.storage.mapped-files-idle-time must be positive, not "
            + mappedFilesIdleTime);
  }
}

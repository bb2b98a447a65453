package io.artifactserver.rest.api.artifact;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Which repositories are encrypted. Immutable.
 *
 * @param defaultForNewRepositories whether a repository encrypts if its creator does not say;
 *     default {@code false}. Set it where nothing may be stored plain.
 * @param checkInterval how often data keys that a retired ring key wraps are looked for, and the
 *     key ring is read again; default 10 s. Raise it when the database is busy.
 */
@ConfigurationProperties("artifact-server.encryption")
public record EncryptionDefaults(
    @DefaultValue("false") boolean defaultForNewRepositories,
    @DefaultValue("10s") Duration checkInterval) {
  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public EncryptionDefaults {
    Assert.isTrue(
        checkInterval.isPositive(),
        "artifact-server.encryption.check-interval must be positive, not " + checkInterval);
  }
}

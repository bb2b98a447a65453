package io.artifactserver.rest.limit;

import io.artifactserver.core.limit.RepositoryLimits;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/**
 * Limits of the whole server. Immutable.
 *
 * @param bytesPerSecond of all downloads together, such as {@code 100MB}; default none. Set it when
 *     others share the server's network.
 */
@ConfigurationProperties("artifact-server.limit")
public record LimitProperties(@Nullable DataSize bytesPerSecond) {
  /**
   * @throws IllegalArgumentException if the rate is out of its bounds
   */
  public LimitProperties {
    if (bytesPerSecond != null
        && (bytesPerSecond.toBytes() < 1
            || bytesPerSecond.toBytes() > RepositoryLimits.MAX_BYTES_PER_SECOND)) {
      throw new IllegalArgumentException(
          "artifact-server.limit.bytes-per-second is 1B to 931GB, not %s; without it there is no limit"
              .formatted(bytesPerSecond));
    }
  }

  /** Returns the rate, or {@link RepositoryLimits#NO_LIMIT}. */
  long rate() {
    return bytesPerSecond == null ? RepositoryLimits.NO_LIMIT : bytesPerSecond.toBytes();
  }
}

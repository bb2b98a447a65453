package io.artifactserver.rest.api.limit;

import io.artifactserver.core.limit.QueueBounds;
import io.artifactserver.core.limit.RepositoryLimits;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Limits of the whole server. Immutable.
 *
 * @param bytesPerSecond of all downloads together, such as {@code 100MB}; default none. Set it when
 *     others share the server's network.
 * @param maxWaiting most downloads of one repository that wait for their turn; default 10,000.
 *     Raise it with the heap, some kilobytes each, when more devices come at a time.
 * @param maxWaitingOfOneClient of them with the same token, or none, from the same address; default
 *     1,000. Raise it for a site that downloads much behind one address.
 */
@ConfigurationProperties("artifact-server.limit")
public record LimitProperties(
    @Nullable DataSize bytesPerSecond,
    @DefaultValue("10000") int maxWaiting,
    @DefaultValue("1000") int maxWaitingOfOneClient) {
  private static final int MOST_WAITING = 1_000_000;

  /**
   * @throws IllegalArgumentException if a number is out of its bounds
   */
  public LimitProperties {
    if (bytesPerSecond != null
        && (bytesPerSecond.toBytes() < 1
            || bytesPerSecond.toBytes() > RepositoryLimits.MAX_BYTES_PER_SECOND)) {
      throw new IllegalArgumentException(
          "artifact-server.limit.bytes-per-second must be 1B to 931GB, not %s; without it there is no limit"
              .formatted(bytesPerSecond));
    }
    requirePlaces("max-waiting", maxWaiting);
    requirePlaces("max-waiting-of-one-client", maxWaitingOfOneClient);
  }

  private static void requirePlaces(String name, int places) {
    Assert.isTrue(
        places >= 1 && places <= MOST_WAITING,
        "artifact-server.limit.%s must be 1 to %d, not %d".formatted(name, MOST_WAITING, places));
  }

  /** Returns the rate, or {@link RepositoryLimits#NO_LIMIT}. */
  long rate() {
    return bytesPerSecond == null ? RepositoryLimits.NO_LIMIT : bytesPerSecond.toBytes();
  }

  QueueBounds queueBounds() {
    return new QueueBounds(maxWaiting, maxWaitingOfOneClient);
  }
}

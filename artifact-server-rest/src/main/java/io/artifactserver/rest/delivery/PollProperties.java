package io.artifactserver.rest.delivery;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * How devices that poll a channel are answered. Immutable.
 *
 * @param interval after which SWUpdate polls again, as {@code Retry-After}; default 5 min. Lower it
 *     for releases that must be out soon, raise it for large fleets.
 * @param releaseParameter parameter of SWUpdate's polls that names the release which the device
 *     has; default {@code release}
 */
@ConfigurationProperties("artifact-server.poll")
public record PollProperties(
    @DefaultValue("5m") Duration interval, @DefaultValue("release") String releaseParameter) {
  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public PollProperties {
    Assert.isTrue(
        interval.toSeconds() >= 1 && interval.toDays() < 1,
        "artifact-server.poll.interval must be 1 second to 1 day, not " + interval);
    Assert.isTrue(
        !releaseParameter.isEmpty(), "artifact-server.poll.release-parameter must not be empty");
  }
}

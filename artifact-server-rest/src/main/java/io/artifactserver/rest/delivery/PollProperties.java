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
 * @param maxRate polls a second that are welcome; default 2000. When more come, those who poll are
 *     asked to come later, so that they spread out.
 * @param deviceParameter parameter of SWUpdate's polls that names the device; default {@code id}
 * @param releaseParameter parameter of them that names the release which the device has; default
 *     {@code release}
 */
@ConfigurationProperties("artifact-server.poll")
public record PollProperties(
    @DefaultValue("5m") Duration interval,
    @DefaultValue("2000") int maxRate,
    @DefaultValue("id") String deviceParameter,
    @DefaultValue("release") String releaseParameter) {
  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public PollProperties {
    Assert.isTrue(
        interval.toSeconds() >= 1 && interval.toDays() < 1,
        "artifact-server.poll.interval must be 1 second to 1 day, not " + interval);
    Assert.isTrue(maxRate >= 1, "artifact-server.poll.max-rate must be 1 or more, not " + maxRate);
    Assert.isTrue(
        !deviceParameter.isEmpty(), "artifact-server.poll.device-parameter must not be empty");
    Assert.isTrue(
        !releaseParameter.isEmpty(), "artifact-server.poll.release-parameter must not be empty");
  }
}

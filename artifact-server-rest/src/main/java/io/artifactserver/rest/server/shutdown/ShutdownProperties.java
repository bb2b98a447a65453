package io.artifactserver.rest.server.shutdown;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * How the server stops. Immutable.
 *
 * @param delay between readiness going down and the last accepted connection; default none. Set it
 *     to the time that a load balancer needs to look at readiness and to send requests elsewhere.
 *     It is cut short by {@code spring.lifecycle.timeout-per-shutdown-phase}.
 */
@ConfigurationProperties("artifact-server.shutdown")
public record ShutdownProperties(@DefaultValue("0s") Duration delay) {
  /**
   * @throws IllegalArgumentException if the delay is negative
   */
  public ShutdownProperties {
    Assert.isTrue(
        !delay.isNegative(),
        "artifact-server.shutdown.delay must not be negative, but is " + delay);
  }
}

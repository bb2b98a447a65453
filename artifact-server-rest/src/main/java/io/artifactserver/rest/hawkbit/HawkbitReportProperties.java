package io.artifactserver.rest.hawkbit;

import java.net.URI;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * The receivers of reports about downloads of hawkBit's devices. Immutable.
 *
 * @param webhook address to which each device's complete and aborted downloads are posted; empty,
 *     the default, and nobody is told
 * @param webhookTimeout of one attempt; default 10 s
 * @param feedback whether hawkBit is told as well, in the history of the device's action; off by
 *     default, because agents give feedback of their own, and it takes two requests a report
 */
@ConfigurationProperties("artifact-server.hawkbit")
public record HawkbitReportProperties(
    @DefaultValue("") String webhook,
    @DefaultValue("10s") Duration webhookTimeout,
    @DefaultValue("false") boolean feedback) {
  public HawkbitReportProperties {
    if (!webhook.isEmpty()) {
      URI uri = URI.create(webhook);
      Assert.isTrue(
          ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
              && uri.getHost() != null,
          "artifact-server.hawkbit.webhook is an address that begins with http:// or https://");
    }
    Assert.isTrue(
        webhookTimeout.isPositive(),
        "artifact-server.hawkbit.webhook-timeout must be positive, not " + webhookTimeout);
  }

  /** The secret that the address may have is left out. */
  @Override
  public String toString() {
    return "HawkbitReportProperties[webhook=%s, webhookTimeout=%s, feedback=%s]"
        .formatted(webhook.isEmpty() ? "none" : "***", webhookTimeout, feedback);
  }
}

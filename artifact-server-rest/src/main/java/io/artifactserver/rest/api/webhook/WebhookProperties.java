package io.artifactserver.rest.api.webhook;

import io.artifactserver.rest.api.outbound.AllowedHosts;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Webhooks. Immutable.
 *
 * @param hosts that webhooks may have, {@code name} or {@code name:port}; default none. Their
 *     addresses must be public.
 * @param privateHosts the same, of hosts that may have any address and may be asked without TLS,
 *     such as a receiver of your own; default none
 * @param timeout of one attempt, default 10 s. Raise it for receivers that work before they answer.
 * @param retryDelays before the second attempt, the third and so on; default 5 s to a day, three
 *     days together
 * @param maxConcurrent messages on their way at the same time, default 32. Raise it for more
 *     receivers that are slow.
 * @param retention how long a delivery is kept in the log, default 30 d
 * @param maxDeliveries most deliveries of one webhook that are kept, default 10,000. Raise it for
 *     large fleets whose receiver may be away for long.
 */
@ConfigurationProperties("artifact-server.webhooks")
public record WebhookProperties(
    @DefaultValue List<String> hosts,
    @DefaultValue List<String> privateHosts,
    @DefaultValue("10s") Duration timeout,
    @DefaultValue({"5s", "1m", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"})
        List<Duration> retryDelays,
    @DefaultValue("32") int maxConcurrent,
    @DefaultValue("30d") Duration retention,
    @DefaultValue("10000") int maxDeliveries) {
  private static final String PREFIX = "artifact-server.webhooks";
  private static final int HTTP_PORT = 80;
  private static final int LEAST_CONCURRENT = 2;
  private static final int MOST_CONCURRENT = 1_000;

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public WebhookProperties {
    AllowedHosts allowed = new AllowedHosts(PREFIX, hosts, privateHosts);
    hosts = allowed.hosts();
    privateHosts = allowed.privateHosts();
    retryDelays = List.copyOf(retryDelays);
    Assert.isTrue(timeout.isPositive(), PREFIX + ".timeout must be positive, but is " + timeout);
    Assert.isTrue(
        !retryDelays.isEmpty() && retryDelays.stream().allMatch(Duration::isPositive),
        PREFIX + ".retry-delays must be positive, and at least one, but are " + retryDelays);
    Assert.isTrue(
        maxConcurrent >= LEAST_CONCURRENT && maxConcurrent <= MOST_CONCURRENT,
        PREFIX + ".max-concurrent must be 2 to 1000, not " + maxConcurrent);
    Assert.isTrue(
        retention.isPositive(), PREFIX + ".retention must be positive, but is " + retention);
    Assert.isTrue(
        maxDeliveries >= 1, PREFIX + ".max-deliveries must be at least 1, not " + maxDeliveries);
  }

  /** The hosts that webhooks may have. */
  AllowedHosts allowed() {
    return new AllowedHosts(PREFIX, hosts, privateHosts);
  }

  /** Returns what is wrong with an address, whatever its host; empty if nothing is. */
  Optional<String> fault(URI url) {
    boolean isHttp = "http".equalsIgnoreCase(url.getScheme());
    if ((!isHttp && !"https".equalsIgnoreCase(url.getScheme()))
        || url.getHost() == null
        || url.getRawUserInfo() != null
        || url.getRawFragment() != null) {
      return Optional.of("must be an https address with a host, and without a user or a fragment");
    }
    return isHttp && !allowed().mayBePrivate(url.getHost(), port(url))
        ? Optional.of(
            "may begin with http:// only if the host is in %s.private-hosts".formatted(PREFIX))
        : Optional.empty();
  }

  /** Whether a webhook may have the host of an address. */
  boolean lists(URI url) {
    return allowed().lists(url.getHost(), port(url));
  }

  private static int port(URI url) {
    return url.getPort() < 0 && "http".equalsIgnoreCase(url.getScheme())
        ? HTTP_PORT
        : url.getPort();
  }
}

package io.artifactserver.rest.api.fetch;

import io.artifactserver.rest.api.outbound.AllowedHosts;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Uploads by reference. Immutable.
 *
 * @param hosts from which artifacts may be fetched, {@code name} or {@code name:port}; default
 *     none, so nothing is fetched. Their addresses must be public.
 * @param privateHosts the same, of hosts that may have any address, such as a mirror of your own;
 *     default none
 * @param maxConcurrent fetches at the same time, default 4. A token has at most as many as are left
 *     to others: alone half of them. Each holds 1 MiB: raise it with the heap.
 * @param timeout of one fetch, default 6 h. Raise it for large files from slow servers.
 * @param stallTimeout without a byte from the other server, after which the rest is asked for on a
 *     new connection; default 30 s. Raise it for servers that compute before they answer.
 */
@ConfigurationProperties("artifact-server.fetch")
public record FetchProperties(
    @DefaultValue List<String> hosts,
    @DefaultValue List<String> privateHosts,
    @DefaultValue("4") int maxConcurrent,
    @DefaultValue("6h") Duration timeout,
    @DefaultValue("30s") Duration stallTimeout) {
  private static final String PREFIX = "artifact-server.fetch";

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public FetchProperties {
    AllowedHosts allowed = new AllowedHosts(PREFIX, hosts, privateHosts);
    hosts = allowed.hosts();
    privateHosts = allowed.privateHosts();
    Assert.isTrue(
        maxConcurrent >= 1,
        "artifact-server.fetch.max-concurrent must be at least 1, not " + maxConcurrent);
    Assert.isTrue(
        timeout.isPositive(), "artifact-server.fetch.timeout must be positive, but is " + timeout);
    Assert.isTrue(
        stallTimeout.isPositive(),
        "artifact-server.fetch.stall-timeout must be positive, but is " + stallTimeout);
  }

  /** The hosts that files may be fetched from. */
  AllowedHosts allowed() {
    return new AllowedHosts(PREFIX, hosts, privateHosts);
  }

  /** Whether files may be fetched from a host at all. A port below 0 is the one of https. */
  boolean lists(String host, int port) {
    return allowed().lists(host, port);
  }
}

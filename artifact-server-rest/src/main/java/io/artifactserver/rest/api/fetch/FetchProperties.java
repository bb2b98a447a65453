package io.artifactserver.rest.api.fetch;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
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
  private static final Pattern HOST =
      Pattern.compile("([a-z0-9.-]+|\\[[0-9a-f:.]+])(:[1-9][0-9]{0,4})?");
  private static final int HTTPS_PORT = 443;

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public FetchProperties {
    hosts = normal("hosts", hosts);
    privateHosts = normal("private-hosts", privateHosts);
    Assert.isTrue(
        maxConcurrent >= 1,
        "artifact-server.fetch.max-concurrent must be at least 1, not " + maxConcurrent);
    Assert.isTrue(
        timeout.isPositive(), "artifact-server.fetch.timeout must be positive, but is " + timeout);
    Assert.isTrue(
        stallTimeout.isPositive(),
        "artifact-server.fetch.stall-timeout must be positive, but is " + stallTimeout);
  }

  /** Whether files may be fetched from a host at all. A port below 0 is the one of https. */
  boolean lists(String host, int port) {
    return hosts.contains(normal(host, port)) || mayBePrivate(host, port);
  }

  /** Whether a host may have an address that is not public. */
  boolean mayBePrivate(String host, int port) {
    return privateHosts.contains(normal(host, port));
  }

  private static String normal(String host, int port) {
    String small = host.toLowerCase(Locale.ROOT);
    String name = small.contains(":") && !small.startsWith("[") ? '[' + small + ']' : small;
    return name + ':' + (port < 0 ? HTTPS_PORT : port);
  }

  private static List<String> normal(String property, List<String> hosts) {
    return hosts.stream()
        .map(host -> {
          String small = host.toLowerCase(Locale.ROOT);
          Assert.isTrue(
              HOST.matcher(small).matches(),
              "artifact-server.fetch.%s has names of hosts, such as mirror.example or mirror.example:8443, and not \"%s\""
                  .formatted(property, host));
          return small.matches(".*:[0-9]+") && !small.endsWith("]")
              ? small
              : small + ':' + HTTPS_PORT;
        })
        .toList();
  }
}

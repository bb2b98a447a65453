package io.artifactserver.rest.api.outbound;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.util.Assert;

/**
 * The hosts that the server may connect to for one purpose. Immutable.
 *
 * @param prefix of the two properties, {@code PREFIX.hosts} and {@code PREFIX.private-hosts}
 * @param hosts {@code name} or {@code name:port}, whose addresses must be public
 * @param privateHosts the same, of hosts that may have any address
 */
public record AllowedHosts(String prefix, List<String> hosts, List<String> privateHosts) {
  private static final Pattern HOST =
      Pattern.compile("([a-z0-9.-]+|\\[[0-9a-f:.]+])(:[1-9][0-9]{0,4})?");
  private static final int HTTPS_PORT = 443;

  /**
   * @throws IllegalArgumentException if one is no host
   */
  public AllowedHosts {
    hosts = normal(prefix + ".hosts", hosts);
    privateHosts = normal(prefix + ".private-hosts", privateHosts);
  }

  /** Whether a host may be connected to at all. A port below 0 is the one of https. */
  public boolean lists(String host, int port) {
    return hosts.contains(normal(host, port)) || mayBePrivate(host, port);
  }

  /** Whether a host may have an address that is not public. */
  public boolean mayBePrivate(String host, int port) {
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
              "%s has names of hosts, such as mirror.example or mirror.example:8443, and not \"%s\""
                  .formatted(property, host));
          return small.matches(".*:[0-9]+") && !small.endsWith("]")
              ? small
              : small + ':' + HTTPS_PORT;
        })
        .toList();
  }
}

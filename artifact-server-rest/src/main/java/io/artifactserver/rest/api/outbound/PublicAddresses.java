package io.artifactserver.rest.api.outbound;

import io.artifactserver.core.limit.Network;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells addresses of the public internet from those of private networks, of this machine, and of
 * everything else that IANA's registries of special-purpose addresses list. Pure functions.
 */
public final class PublicAddresses {
  /**
   * The only part of IPv6 whose addresses are public. Outside of it are those that contain an IPv4
   * address ({@code ::ffff:0:0/96}, {@code 64:ff9b::/96}), unique-local and link-local ones.
   */
  private static final Network GLOBAL_UNICAST = Network.parse("2000::/3");

  private static final List<Network> SPECIAL =
      Stream.of(
              "0.0.0.0/8", // this network
              "10.0.0.0/8", // private
              "100.64.0.0/10", // shared by customers of a provider (CGNAT)
              "127.0.0.0/8", // loopback
              "169.254.0.0/16", // link-local, with the metadata of clouds
              "172.16.0.0/12", // private
              "192.0.0.0/24", // protocols
              "192.0.2.0/24", // documentation
              "192.88.99.0/24", // relays of 6to4
              "192.168.0.0/16", // private
              "198.18.0.0/15", // benchmarks
              "198.51.100.0/24", // documentation
              "203.0.113.0/24", // documentation
              "224.0.0.0/4", // multicast
              "240.0.0.0/4", // reserved, and broadcast
              "2001::/23", // protocols, with Teredo, which contains an IPv4 address
              "2001:db8::/32", // documentation
              "2002::/16", // 6to4, which contains an IPv4 address
              "3fff::/20") // documentation
          .map(Network::parse)
          .toList();

  private PublicAddresses() {}

  /** Whether an address is of the public internet. */
  public static boolean isPublic(InetAddress address) {
    return (address instanceof Inet4Address || GLOBAL_UNICAST.contains(address))
        && SPECIAL.stream().noneMatch(network -> network.contains(address));
  }
}

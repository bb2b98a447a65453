package io.artifactserver.rest.server.guard;

import io.artifactserver.core.limit.Network;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * Tells which client an address stands for, also behind proxies. Immutable, thread-safe.
 *
 * @param trustedProxies addresses and networks that stand for many clients
 */
record ClientAddresses(List<Network> trustedProxies) {
  private static final Pattern COMMA = Pattern.compile(",");

  /** Returns whom a connection counts for; null if its address says nothing of the client. */
  @Nullable Network client(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress socket && !isTrusted(socket.getAddress())
        ? Network.ofClient(socket.getAddress())
        : null;
  }

  /**
   * Returns the address that a request comes from: the peer's, or behind trusted proxies the last
   * one in X-Forwarded-For that is not a trusted proxy's. Each proxy adds the address that it sees
   * at the end, so what a client writes into the field itself is never reached. Where the field
   * ends or cannot be read, it is the address of the proxy that wrote it.
   */
  Optional<InetAddress> origin(@Nullable SocketAddress peer, HttpFields fields) {
    if (!(peer instanceof InetSocketAddress socket)) {
      return Optional.empty();
    }
    InetAddress address = socket.getAddress();
    if (!isTrusted(address)) {
      return Optional.of(address);
    }
    // No field of tokens and quoted strings: a quotation mark in it is an address that cannot be
    // read.
    List<String> hops =
        fields.getValuesList(HttpHeader.X_FORWARDED_FOR).stream()
            .flatMap(COMMA::splitAsStream)
            .map(String::strip)
            .filter(hop -> !hop.isEmpty())
            .toList();
    for (int i = hops.size() - 1; i >= 0 && isTrusted(address); i--) {
      try {
        address = InetAddress.ofLiteral(hops.get(i));
      } catch (IllegalArgumentException _) {
        break;
      }
    }
    return Optional.of(address);
  }

  private boolean isTrusted(InetAddress address) {
    return trustedProxies.stream().anyMatch(network -> network.contains(address));
  }
}

package io.artifactserver.rest.api.outbound;

import io.artifactserver.core.fetch.RemoteRefusedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;

/**
 * Looks names up for each connection, and lets the client connect to nothing but the addresses that
 * were checked: a name that has another address at the next look-up gains nothing. Thread-safe.
 *
 * @param names looks a name up; may block
 * @param isPublic whether an address may be connected to
 * @param executor for look-ups
 */
public record CheckedAddresses(
    AllowedHosts hosts, Names names, Predicate<InetAddress> isPublic, Executor executor)
    implements SocketAddressResolver {
  @Override
  public void resolve(
      String host,
      int port,
      Map<String, Object> context,
      Promise<List<InetSocketAddress>> promise) {
    executor.execute(() -> {
      List<InetSocketAddress> found;
      try {
        found = checked(host, port);
      } catch (IOException | RuntimeException e) {
        promise.failed(e);
        return;
      }
      promise.succeeded(found);
    });
  }

  private List<InetSocketAddress> checked(String host, int port) throws IOException {
    if (!hosts.lists(host, port)) {
      throw new RemoteRefusedException("%s is not in %s.hosts".formatted(host, hosts.prefix()));
    }
    List<InetSocketAddress> found = new ArrayList<>();
    for (InetAddress each : names.lookUp(host)) {
      if (!hosts.mayBePrivate(host, port) && !isPublic.test(each)) {
        throw new RemoteRefusedException(
            "%s has the address %s, which is not public. If that is right, an operator may name the host in %s.private-hosts"
                .formatted(host, each.getHostAddress(), hosts.prefix()));
      }
      // The client compares the certificate with the name of the address.
      found.add(new InetSocketAddress(InetAddress.getByAddress(host, each.getAddress()), port));
    }
    return found;
  }

  /** Looks names up. */
  @FunctionalInterface
  public interface Names {
    /** Returns the addresses of a host; may block. */
    InetAddress[] lookUp(String host) throws IOException;
  }
}

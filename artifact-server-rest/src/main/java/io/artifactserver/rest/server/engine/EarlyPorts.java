package io.artifactserver.rest.server.engine;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.util.IO;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ports on which this process listens for all of its life, and not only while its server runs. A
 * device that connects before the server is ready, or while it stops, waits in the accept queue; it
 * is not refused, and does not use up its tries. The ports close with the process. Thread-safe.
 */
public final class EarlyPorts {
  /** Jetty's default drops connections in a burst: 80 at once waited up to a second. */
  public static final int ACCEPT_QUEUE_LENGTH = 4096;

  private static final Logger LOG = LoggerFactory.getLogger(EarlyPorts.class);

  private final Map<Integer, ServerSocketChannel> channels = new ConcurrentHashMap<>();

  /**
   * Takes the listening socket that is the standard input of this process, as the launcher, systemd
   * ({@code StandardInput=socket}) and inetd leave it.
   *
   * @return where it listens; empty if the standard input is something else
   */
  public Optional<InetSocketAddress> inherit() throws IOException {
    // The channel must never be closed: Java would take away the process's output, too.
    if (System.inheritedChannel() instanceof ServerSocketChannel channel
        && channel.getLocalAddress() instanceof InetSocketAddress address) {
      channels.put(address.getPort(), channel);
      return Optional.of(address);
    }
    return Optional.empty();
  }

  /**
   * Listens on a port, unless that was done before. If another process has it, the server says so
   * when it starts, or it is free by then.
   *
   * @param host address to listen on; null for all
   * @param port 1 to 65535
   */
  public void open(@Nullable String host, int port) {
    channels.computeIfAbsent(port, _ -> bind(host, port));
  }

  private static @Nullable ServerSocketChannel bind(@Nullable String host, int port) {
    ServerSocketChannel channel = null;
    try {
      channel = ServerSocketChannel.open();
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(
          host == null ? new InetSocketAddress(port) : new InetSocketAddress(host, port),
          ACCEPT_QUEUE_LENGTH);
      return channel;
    } catch (BindException e) {
      LOG.debug("Port {} is not free yet", port, e);
    } catch (IOException | RuntimeException e) {
      // Such as an address that does not exist: the server's own try fails with a message.
      LOG.debug("Cannot open port {} early", port, e);
    }
    IO.close(channel);
    return null;
  }

  /** Returns what listens on a port; null if nothing does yet. It is not to be closed. */
  @Nullable ServerSocketChannel channel(int port) {
    return channels.get(port);
  }
}

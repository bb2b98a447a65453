package io.artifactserver.rest.server.engine;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.IO;
import org.jspecify.annotations.Nullable;

/**
 * A port that stays open while the server stops: who comes then is answered, and each answer ends
 * its connection. Jetty would refuse new connections from the beginning of a stop to the next
 * start, which is longer than some devices try. A port of {@link EarlyPorts} even stays open when
 * the connector has stopped.
 *
 * <p>Without TLS, bytes reach the socket as they are, and its connections can send files.
 */
final class PromptConnector extends ServerConnector {
  private final Newcomers newcomers;
  private final LingeringClose lingering;
  private @Nullable EarlyPorts early;
  private boolean isEarly;
  private volatile @Nullable Selector arrivals;
  private volatile boolean isStopping;

  /**
   * As {@code like}, with as many threads of the server's pool.
   *
   * @param name which tells its metrics from those of others
   */
  PromptConnector(
      String name,
      int port,
      ServerConnector like,
      Newcomers newcomers,
      LingeringClose lingering,
      Collection<ConnectionFactory> factories) {
    super(
        like.getServer(),
        new ConnectorThreads(like.getServer().getThreadPool()),
        // Beans that are given here would end with the first of several connectors.
        null,
        null,
        like.getAcceptors(),
        like.getSelectorManager().getSelectorCount(),
        factories.toArray(ConnectionFactory[]::new));
    this.newcomers = newcomers;
    this.lingering = lingering;
    setName(name);
    setHost(like.getHost());
    setPort(port);
    setIdleTimeout(like.getIdleTimeout());
    setAcceptQueueSize(like.getAcceptQueueSize());
  }

  /** Puts one in the place of each of Jetty's without TLS. */
  static void install(Server server, Newcomers newcomers, LingeringClose lingering) {
    List<Connector> connectors = new ArrayList<>();
    for (Connector connector : server.getConnectors()) {
      connectors.add(
          connector instanceof ServerConnector plain
                  && !(plain instanceof PromptConnector)
                  && isPlain(plain)
              ? new PromptConnector(
                  "http",
                  plain.getPort(),
                  plain,
                  newcomers,
                  lingering,
                  plain.getConnectionFactories())
              : connector);
    }
    server.setConnectors(connectors.toArray(Connector[]::new));
  }

  /** Lets the server's connectors listen on ports that are open already. */
  static void useEarly(Server server, EarlyPorts ports) {
    for (Connector connector : server.getConnectors()) {
      if (connector instanceof PromptConnector prompt) {
        prompt.early = ports;
      }
    }
  }

  private static boolean isPlain(ServerConnector connector) {
    return connector.getConnectionFactory(SslConnectionFactory.class) == null;
  }

  @Override
  protected ServerSocketChannel openAcceptChannel() throws IOException {
    ServerSocketChannel known = early == null ? null : early.channel(getPort());
    isEarly = known != null;
    return known == null ? super.openAcceptChannel() : known;
  }

  /** Jetty ends a wait for a connection by closing the port. A selector's wait leaves it open. */
  @Override
  public void open(ServerSocketChannel port) throws IOException {
    super.open(port);
    port.configureBlocking(false);
    Selector selector = Selector.open();
    port.register(selector, SelectionKey.OP_ACCEPT);
    arrivals = selector;
  }

  @Override
  public void accept(int acceptor) throws IOException {
    Selector selector = arrivals;
    if (selector == null || !(getTransport() instanceof ServerSocketChannel port)) {
      return;
    }
    selector.select(_ -> {});
    SocketChannel client = port.accept();
    while (client != null) {
      client.configureBlocking(false);
      configure(client.socket());
      getSelectorManager().accept(client);
      client = isRunning() ? port.accept() : null;
    }
  }

  @Override
  public CompletableFuture<Void> shutdown() {
    isStopping = true;
    return CompletableFuture.allOf();
  }

  @Override
  public boolean isShutdown() {
    return isStopping || super.isShutdown() || !isOpen();
  }

  @Override
  public void close() {
    if (!isEarly) {
      super.close();
      Selector selector = arrivals;
      if (selector != null) {
        // The port listens for as long as the selector knows it.
        selector.wakeup();
      }
    }
  }

  @Override
  protected void doStop() throws Exception {
    super.doStop();
    isStopping = false;
    IO.close(arrivals);
    arrivals = null;
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    SocketChannelEndPoint endPoint =
        isPlain(this)
            ? new SendfileEndPoint(channel, selector, key, getScheduler(), newcomers, lingering)
            : new TlsEndPoint(channel, selector, key, getScheduler(), newcomers, lingering);
    endPoint.setIdleTimeout(getIdleTimeout());
    return endPoint;
  }
}

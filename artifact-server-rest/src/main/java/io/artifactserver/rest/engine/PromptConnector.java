package io.artifactserver.rest.engine;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;

/**
 * A port whose connections end with their next answer as soon as it refuses new ones. Jetty closes
 * the port first and remembers a moment later that it shuts down: an answer in between would keep
 * its connection.
 *
 * <p>Without TLS, bytes reach the socket as they are, and its connections can send files.
 */
final class PromptConnector extends ServerConnector {
  private final Newcomers newcomers;
  private final LingeringClose lingering;

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
        // What is given here would end with the first of several connectors.
        null,
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

  private static boolean isPlain(ServerConnector connector) {
    return connector.getConnectionFactory(SslConnectionFactory.class) == null;
  }

  @Override
  public boolean isShutdown() {
    return super.isShutdown() || !isOpen();
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

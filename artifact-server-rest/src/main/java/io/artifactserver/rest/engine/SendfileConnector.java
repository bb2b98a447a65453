package io.artifactserver.rest.engine;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;

/** Accepts connections that can send files. */
final class SendfileConnector extends PromptConnector {
  private SendfileConnector(Server server, ServerConnector plain, Newcomers newcomers) {
    super(
        server, plain, newcomers, plain.getConnectionFactories().toArray(ConnectionFactory[]::new));
    setName(plain.getName() == null ? "http" : plain.getName());
    setHost(plain.getHost());
    setPort(plain.getPort());
    setIdleTimeout(plain.getIdleTimeout());
    setShutdownIdleTimeout(plain.getShutdownIdleTimeout());
    setAcceptQueueSize(plain.getAcceptQueueSize());
  }

  /** Puts one in the place of each connector whose bytes reach the socket as they are. */
  static void install(Server server, Newcomers newcomers) {
    List<Connector> connectors = new ArrayList<>();
    for (Connector connector : server.getConnectors()) {
      connectors.add(
          connector instanceof ServerConnector plain
                  && plain.getConnectionFactory(SslConnectionFactory.class) == null
              ? new SendfileConnector(server, plain, newcomers)
              : connector);
    }
    server.setConnectors(connectors.toArray(Connector[]::new));
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    SocketChannelEndPoint endPoint =
        new SendfileEndPoint(channel, selector, key, getScheduler(), newcomers());
    endPoint.setIdleTimeout(getIdleTimeout());
    return endPoint;
  }
}

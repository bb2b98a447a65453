package io.artifactserver.rest.connection;

import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A port whose connections end with their next answer as soon as it refuses new ones. Jetty closes
 * the port first and remembers a moment later that it shuts down; an answer in between would keep
 * its connection.
 */
public class ClosingConnector extends ServerConnector {
  /** With what {@code like} has, but for its host, its port and its limits. */
  public ClosingConnector(Server server, ServerConnector like, ConnectionFactory... factories) {
    super(
        server,
        like.getExecutor(),
        like.getScheduler(),
        like.getByteBufferPool(),
        like.getAcceptors(),
        like.getSelectorManager().getSelectorCount(),
        factories);
  }

  @Override
  public boolean isShutdown() {
    return super.isShutdown() || !isOpen();
  }
}

package io.artifactserver.rest.engine;

import java.io.Closeable;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A port that loses no time over connections. A new one is set up by the selector that it belongs
 * to, in its {@link Turns}, and whoever ends one clears away behind it: Jetty wakes a thread of its
 * pool for either, which costs more than the work. And its connections end with their next answer
 * as soon as it refuses new ones: Jetty closes the port first and remembers a moment later that it
 * shuts down, and an answer in between would keep its connection.
 */
class PromptConnector extends ServerConnector {
  private final Newcomers newcomers;

  /** With as many threads as {@code like} has, of the server's pool. */
  PromptConnector(
      Server server, ServerConnector like, Newcomers newcomers, ConnectionFactory... factories) {
    super(
        server,
        // What is given here would end with the first of several connectors.
        null,
        null,
        null,
        like.getAcceptors(),
        like.getSelectorManager().getSelectorCount(),
        factories);
    this.newcomers = newcomers;
  }

  Newcomers newcomers() {
    return newcomers;
  }

  @Override
  public boolean isShutdown() {
    return super.isShutdown() || !isOpen();
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    SocketChannelEndPoint endPoint =
        new FairEndPoint(channel, selector, key, getScheduler(), newcomers);
    endPoint.setIdleTimeout(getIdleTimeout());
    return endPoint;
  }

  @Override
  protected SelectorManager newSelectorManager(
      Executor executor, Scheduler scheduler, int selectors) {
    return new ServerConnectorManager(executor, scheduler, selectors) {
      private final Turns turns = new Turns();

      @Override
      protected void execute(Runnable task) {
        // The closeable tasks set a connection up, or clear away behind one; others never end.
        if (!(task instanceof Closeable) || !turns.run(task)) {
          super.execute(task);
        }
      }
    };
  }
}

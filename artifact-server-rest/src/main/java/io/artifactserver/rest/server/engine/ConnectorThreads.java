package io.artifactserver.rest.server.engine;

import java.util.concurrent.Executor;
import org.eclipse.jetty.util.thread.ExecutionStrategy;
import org.eclipse.jetty.util.thread.TryExecutor;

/**
 * The server's threads, as a connector uses them. Jetty runs the failure of each stream of HTTP/2
 * at once, on a new thread if none is ready: a client that ends its connection decides how many
 * threads there are. Here a failure waits for one of the server's. It may: Jetty fears for threads
 * of the pool that wait for that very failure, and here none of those ever waits for a client.
 * Thread-safe.
 *
 * @param threads the server's
 */
record ConnectorThreads(Executor threads) implements TryExecutor {
  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  @Override
  public boolean tryExecute(Runnable task) {
    if (threads instanceof TryExecutor ready && ready.tryExecute(task)) {
      return true;
    }
    if (task instanceof ExecutionStrategy) {
      // A selector or a connection that looks for somebody to go on with its work, and else goes on
      // with it itself.
      return false;
    }
    threads.execute(task);
    return true;
  }
}

package io.artifactserver.rest.server.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.ThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * A request over HTTP/2 whose body ends with its connection. Jetty tells a reader that something
 * has come, or has failed, by a task in the connection's queue, and nobody looks at that queue any
 * more once the connection is closed: a thread that waits for the body would wait for ever, and an
 * upload would keep its place. Thread-safe, as the request is.
 */
final class Http2Request extends Request.Wrapper implements Connection.Listener {
  private final Executor executor;
  private volatile boolean hasEnded;
  private volatile @Nullable Once waiting;

  private Http2Request(Request request) {
    super(request);
    // A request that is over has none, and its connection may be closed at that moment.
    this.executor = request.getComponents().getExecutor();
  }

  /** Returns the request if it has no body that is still to come. */
  static Request of(Request request, boolean isWhole) {
    if (isWhole) {
      return request;
    }
    Http2Request ending = new Http2Request(request);
    Connection connection = request.getConnectionMetaData().getConnection();
    connection.addEventListener(ending);
    Request.addCompletionListener(
        request,
        _ -> {
          connection.removeEventListener(ending);
          ending.waiting = null;
        });
    // It may have been closed before it had a listener.
    if (!connection.getEndPoint().isOpen()) {
      ending.onClosed(connection);
    }
    return ending;
  }

  @Override
  public void onClosed(Connection connection) {
    hasEnded = true;
    wake();
  }

  private void wake() {
    Once reader = waiting;
    if (reader != null) {
      // Not queued: all threads may wait for bodies.
      ThreadPool.executeImmediately(executor, reader);
    }
  }

  /** Bytes that came before the end are read first. */
  @Override
  public Content.@Nullable Chunk read() {
    Content.Chunk chunk = super.read();
    return chunk == null && hasEnded
        ? Content.Chunk.from(new EofException("The connection has ended"), true)
        : chunk;
  }

  @Override
  public void demand(Runnable reader) {
    Once once = new Once(reader);
    waiting = once;
    super.demand(once);
    if (hasEnded) {
      wake();
    }
  }

  /** Jetty may tell the reader, too. */
  private static final class Once implements Invocable.Task {
    private final Runnable reader;
    private final AtomicBoolean isTold = new AtomicBoolean();

    private Once(Runnable reader) {
      this.reader = reader;
    }

    @Override
    public void run() {
      if (isTold.compareAndSet(false, true)) {
        reader.run();
      }
    }

    @Override
    public InvocationType getInvocationType() {
      return Invocable.getInvocationType(reader);
    }
  }
}

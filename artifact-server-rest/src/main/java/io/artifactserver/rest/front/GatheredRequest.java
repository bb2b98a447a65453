package io.artifactserver.rest.front;

import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.Holdings;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.content.ByteBufferContentSource;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/** A request whose body is there, so that whoever reads it never waits for the client. */
public final class GatheredRequest extends Request.Wrapper {
  /** The longest body, in bytes. Bodies of the API have some hundred. */
  public static final int MAX_LENGTH = 64 * 1024;

  /** In which a body comes. */
  public static final Duration TIME = Duration.ofSeconds(10);

  private final Content.Source body;

  private GatheredRequest(Request request, byte[] body) {
    super(request);
    this.body = new ByteBufferContentSource(ByteBuffer.wrap(body));
  }

  /** Whether a body may follow the head. */
  static boolean hasBody(Request request) {
    return request.getLength() > 0
        || (request.getLength() < 0
            && (request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)
                || request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2));
  }

  /**
   * Reads the body as it comes, and blocks no thread. Kept bytes count for the client.
   *
   * @param listener is told once how it went; must not block
   */
  public static void gather(Request request, Connections connections, Listener listener) {
    Holdings.Holding holding =
        connections.holding(request.getConnectionMetaData().getConnection().getEndPoint());
    Request.addCompletionListener(request, _ -> holding.close());
    new Gathering(request, holding, listener).begin();
  }

  @Override
  public Content.@Nullable Chunk read() {
    return body.read();
  }

  @Override
  public void demand(Runnable demandCallback) {
    body.demand(demandCallback);
  }

  @Override
  public void fail(Throwable failure) {
    body.fail(failure);
    super.fail(failure);
  }

  /** Learns whether the body came. */
  public interface Listener {
    void whole(Request request);

    /** The body is longer than {@link #MAX_LENGTH}. */
    void tooLong();

    /** The body was not there in {@link #TIME}. */
    void tooLate();

    /** The client has gone away, or what it sent is no body. */
    void broken(Throwable failure);
  }

  /** Once the listener was told, nothing is read any more: the exchange may be over. */
  private static final class Gathering {
    private final Request request;
    private final Holdings.Holding holding;
    private final Listener listener;

    // Guarded by this object.
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(0);
    private boolean isTold;

    private Gathering(Request request, Holdings.Holding holding, Listener listener) {
      this.request = request;
      this.holding = holding;
      this.listener = listener;
    }

    private void begin() {
      Scheduler.Task late =
          request
              .getComponents()
              .getScheduler()
              .schedule(
                  () -> {
                    if (mayTell()) {
                      listener.tooLate();
                    }
                  },
                  TIME.toMillis(),
                  TimeUnit.MILLISECONDS);
      Request.addCompletionListener(request, _ -> late.cancel());
      read();
    }

    private void read() {
      Runnable result = null;
      while (result == null) {
        boolean isThere;
        synchronized (this) {
          if (isTold) {
            return;
          }
          Content.Chunk chunk = request.read();
          isThere = chunk != null;
          if (chunk != null) {
            result = take(chunk);
            isTold = result != null;
          }
        }
        if (!isThere) {
          request.demand(this::read);
          return;
        }
      }
      result.run();
    }

    /** Returns what the listener is to be told; null if more is to come. */
    private @Nullable Runnable take(Content.Chunk chunk) {
      if (Content.Chunk.isFailure(chunk)) {
        return () -> listener.broken(chunk.getFailure());
      }
      boolean isLast = chunk.isLast();
      int length = chunk.remaining();
      boolean fits = bytes.size() + length <= MAX_LENGTH;
      if (fits) {
        holding.add(length);
        bytes.writeBytes(BufferUtil.toArray(chunk.getByteBuffer()));
      }
      chunk.release();
      if (!fits) {
        return listener::tooLong;
      }
      return isLast
          ? () -> listener.whole(new GatheredRequest(request, bytes.toByteArray()))
          : null;
    }

    private synchronized boolean mayTell() {
      boolean isFirst = !isTold;
      isTold = true;
      return isFirst;
    }
  }
}

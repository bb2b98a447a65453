package io.artifactserver.rest.server.engine;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A request's stream over HTTP/2 whose writes fail only when none of their bytes can leave any
 * more. It is the one place that decides this for all bodies, whoever writes them. Thread-safe, as
 * the stream is.
 */
final class PatientStream extends HttpStream.Wrapper {
  private final HTTP2Stream http2;
  private final FailedWrites failedWrites;

  /** The last write that had bytes. There is one at a time. */
  private volatile @Nullable Sending sending;

  PatientStream(HttpStream stream, HTTP2Stream http2, FailedWrites failedWrites) {
    super(stream);
    this.http2 = http2;
    this.failedWrites = failedWrites;
  }

  @Override
  public void send(
      MetaData.Request request,
      MetaData.Response response,
      boolean last,
      @Nullable ByteBuffer content,
      Callback callback) {
    if (BufferUtil.isEmpty(content)) {
      super.send(request, response, last, content, callback);
      return;
    }
    Sending now = new Sending(callback);
    sending = now;
    failedWrites.begin();
    super.send(request, response, last, content, now);
  }

  /**
   * The answer is complete. A client that still sends is asked to stop without an error (RFC 9113,
   * section 8.1): Jetty would cancel the stream, and curl then throws the answer away.
   */
  @Override
  public void succeeded() {
    if (!http2.isClosed()) {
      // Or its bytes would occupy the connection's window for ever.
      Throwable _ = consumeAvailable();
      http2.reset(new ResetFrame(http2.getId(), ErrorCode.NO_ERROR.code), Callback.NOOP);
    }
    super.succeeded();
  }

  /** Jetty calls back when the stream's reset was written, or at once when it writes none. */
  @Override
  public Runnable cancelSend(Throwable cause, Callback callback) {
    Sending cancelled = sending;
    return super.cancelSend(
        cause,
        Callback.from(
            callback.getInvocationType(),
            callback::succeeded,
            failure -> {
              FailedWrites.Failure delayed = failedWrites.hold(() -> callback.failed(failure));
              if (cancelled == null || cancelled.isOverOrEnds(delayed)) {
                delayed.ripen();
              } else {
                failedWrites.drop();
              }
            }));
  }

  /** A write whose bytes Jetty has, or makes frames of. */
  private final class Sending implements Callback {
    private final Callback callback;
    private boolean isOver;

    /** Waits for this write to be over. */
    private FailedWrites.@Nullable Failure waiting;

    private Sending(Callback callback) {
      this.callback = callback;
    }

    @Override
    public void succeeded() {
      FailedWrites.Failure cancellation = end();
      failedWrites.end();
      callback.succeeded();
      if (cancellation != null) {
        cancellation.ripen();
      }
    }

    @Override
    public void failed(Throwable cause) {
      FailedWrites.Failure cancellation = end();
      if (cancellation == null) {
        failedWrites.hold(() -> tell(cause)).ripen();
      } else {
        cancellation.also(() -> tell(cause));
        cancellation.ripen();
      }
    }

    private void tell(Throwable cause) {
      failedWrites.end();
      callback.failed(cause);
    }

    @Override
    public InvocationType getInvocationType() {
      return callback.getInvocationType();
    }

    /** Returns false if the end of this write lets the cancellation ripen. */
    private synchronized boolean isOverOrEnds(FailedWrites.Failure failure) {
      if (!isOver) {
        waiting = failure;
      }
      return isOver;
    }

    /** Returns what waits for this write to be over, if anything does. */
    private synchronized FailedWrites.@Nullable Failure end() {
      isOver = true;
      return waiting;
    }
  }
}

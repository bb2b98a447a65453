package io.artifactserver.rest.engine;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.MetaData;
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
  private final FailedWrites failedWrites;

  /** The last write that had bytes. There is one at a time. */
  private volatile @Nullable Sending sending;

  PatientStream(HttpStream stream, FailedWrites failedWrites) {
    super(stream);
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
    super.send(request, response, last, content, now);
  }

  /** Jetty takes a stream's reset for the end of its frames, whether or not it was queued. */
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
              if (cancelled == null || cancelled.isOverOrRipens(delayed)) {
                delayed.ripen();
              } else {
                // Jetty notices that the stream was reset when it looks at its queue again.
                failedWrites.hold(() -> {}).ripen();
              }
            }));
  }

  /** A write whose bytes Jetty has, or makes frames of. */
  private final class Sending implements Callback {
    private final Callback callback;
    private boolean isOver;
    private FailedWrites.@Nullable Failure waiting;

    private Sending(Callback callback) {
      this.callback = callback;
    }

    @Override
    public void succeeded() {
      end();
      callback.succeeded();
    }

    @Override
    public void failed(Throwable cause) {
      FailedWrites.Failure delayed = failedWrites.hold(() -> callback.failed(cause));
      end();
      delayed.ripen();
    }

    @Override
    public InvocationType getInvocationType() {
      return callback.getInvocationType();
    }

    /** Returns false if the failure ripens when this write is over. */
    private synchronized boolean isOverOrRipens(FailedWrites.Failure failure) {
      if (!isOver) {
        waiting = failure;
      }
      return isOver;
    }

    private void end() {
      FailedWrites.Failure ripe;
      synchronized (this) {
        isOver = true;
        ripe = waiting;
      }
      if (ripe != null) {
        ripe.ripen();
      }
    }
  }
}

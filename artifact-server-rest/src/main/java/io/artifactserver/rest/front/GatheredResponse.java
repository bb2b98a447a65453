package io.artifactserver.rest.front;

import io.artifactserver.rest.server.guard.Holdings;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what a servlet writes until the servlet has written all of it, and sends it then, so that
 * no thread waits for a client that does not read. Server-sent events are sent as they come; those
 * that the client has not taken yet wait here. Kept bytes count for the client. Thread-safe.
 */
final class GatheredResponse extends Response.Wrapper {
  /** Events that may wait, in bytes. */
  private static final int MAX_WAITING = 256 * 1024;

  private final Holdings.Holding holding;

  // Guarded by this object.
  private Bytes kept = new Bytes();
  private boolean isSending;
  private @Nullable Callback last;
  private @Nullable Throwable failure;

  /**
   * @param holding of this response; closed when its request is complete
   */
  GatheredResponse(Request request, Response response, Holdings.Holding holding) {
    super(request, response);
    this.holding = holding;
    Request.addCompletionListener(request, _ -> holding.close());
  }

  @Override
  public void write(boolean isLast, ByteBuffer content, Callback callback) {
    if (isEvents()) {
      writeEvents(isLast, content, callback);
    } else if (isLast) {
      UnwantedBody.leave(getRequest());
      super.write(true, whole(content), callback);
    } else if (keep(content)) {
      callback.succeeded();
    } else {
      callback.failed(new EofException("The server holds too many unread answers"));
    }
  }

  @Override
  public void reset() {
    synchronized (this) {
      holding.add(-kept.held());
      kept = new Bytes();
    }
    super.reset();
  }

  /** An event is for now. */
  private boolean isEvents() {
    String type = getHeaders().get(HttpHeader.CONTENT_TYPE);
    return type != null && type.startsWith("text/event-stream");
  }

  private void writeEvents(boolean isLast, ByteBuffer content, Callback callback) {
    Throwable failed;
    synchronized (this) {
      failed = failure;
      if (failed == null
          && (kept.size() + BufferUtil.length(content) > MAX_WAITING || !keep(content))) {
        failed = new EofException("The client does not read its events");
        failure = failed;
      }
      if (failed == null) {
        last = isLast ? callback : null;
      }
    }
    if (failed != null) {
      callback.failed(failed);
      return;
    }
    sendEvents();
    if (!isLast) {
      callback.succeeded();
    }
  }

  /** Sends what waits, unless the client has still to take what was sent before. */
  private void sendEvents() {
    ByteBuffer next;
    Callback end;
    synchronized (this) {
      if (isSending || (kept.size() == 0 && last == null)) {
        return;
      }
      isSending = true;
      next = take();
      end = last;
      last = null;
    }
    super.write(
        end != null,
        next,
        Callback.from(
            () -> {
              synchronized (this) {
                isSending = false;
                holding.add(-next.capacity());
              }
              if (end != null) {
                end.succeeded();
              } else {
                sendEvents();
              }
            },
            cause -> {
              Callback waiting;
              synchronized (this) {
                failure = cause;
                waiting = end != null ? end : last;
                last = null;
              }
              if (waiting != null) {
                waiting.failed(cause);
              }
            }));
  }

  /** Returns false when the connection is being ended because too much is held. */
  private synchronized boolean keep(@Nullable ByteBuffer content) {
    if (!BufferUtil.hasContent(content)) {
      return true;
    }
    long before = kept.held();
    kept.writeBytes(BufferUtil.toArray(content));
    BufferUtil.clear(content);
    if (holding.add(kept.held() - before) == 0) {
      kept = new Bytes();
      return false;
    }
    return true;
  }

  /** It stays accounted for: the client has still to take it. */
  private synchronized ByteBuffer take() {
    ByteBuffer all = kept.buffer();
    kept = new Bytes();
    return all;
  }

  private synchronized ByteBuffer whole(@Nullable ByteBuffer content) {
    if (kept.size() == 0 && content != null) {
      holding.add(content.remaining());
      return content;
    }
    // If it cannot be kept, the connection ends before any of it is sent.
    boolean _ = keep(content);
    return take();
  }

  /** Lends what was written, uncopied. */
  private static final class Bytes extends ByteArrayOutputStream {
    private Bytes() {
      super(0);
    }

    private ByteBuffer buffer() {
      return ByteBuffer.wrap(buf, 0, count);
    }

    private int held() {
      return buf.length;
    }
  }
}

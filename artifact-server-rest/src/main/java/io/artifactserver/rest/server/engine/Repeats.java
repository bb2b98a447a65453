package io.artifactserver.rest.server.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;

/**
 * A connection's memory of its last request, and the answers that it gives without a handler. A
 * request is read, and an answer sent, by one thread at a time, as Jetty has it; only the end of an
 * answer that the socket did not take at once may come from another.
 *
 * <p>Nothing is kept of a connection's first request, which mostly is its last.
 */
final class Repeats {
  private static final ThreadLocal<ByteBuffer> HEADS =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(RepeatedRequest.MAX_HEAD));

  /** Requests that differ in more than the range are looked at ever more seldom, up to this. */
  private static final int MAX_PATIENCE = 1024;

  private final SendfileEndPoint endPoint;

  /** The thread that handles the request may be another one than the one that read it. */
  private volatile byte @Nullable [] request;

  private volatile @Nullable RangeResponder responder;
  private volatile @Nullable RepeatedRequest repeated;
  private int deaf = 1;
  private int patience = 1;
  private boolean hasJustAnswered;

  private boolean isSending;
  private @Nullable Callback delayed;

  Repeats(SendfileEndPoint endPoint) {
    this.endPoint = endPoint;
  }

  /** Whether the bytes of the request that is handled are known. */
  boolean isListening() {
    return request != null;
  }

  /** The answer to the request that is handled may be repeated. */
  void listen(RangeResponder responder) {
    if (request != null) {
      this.responder = responder;
    }
  }

  /** Returns null when the connection is in the middle of a request. */
  static @Nullable HttpConnection atRequest(@Nullable Connection connection) {
    return connection instanceof HttpConnection http && http.getParser().isStart() ? http : null;
  }

  /** Once after an answer: Jetty asks twice, and the selector tells when there is more. */
  boolean hasJustAnswered() {
    boolean was = hasJustAnswered;
    hasJustAnswered = false;
    return was;
  }

  /**
   * Answers the request that came, if it can.
   *
   * @param connection at the beginning of a request
   * @param buffer in Jetty's flush mode; empty if what came is answered
   * @return the result of {@link SendfileEndPoint#fill}
   */
  int received(HttpConnection connection, ByteBuffer buffer) {
    request = null;
    responder = null;
    RepeatedRequest known = repeated;
    if (known != null) {
      ByteBuffer head = HEADS.get().clear();
      RepeatedBody body =
          connection.getConnector().isShutdown()
              ? null
              : known.answerTo(buffer, connection.getServer().getDateField().getValue(), head);
      if (body != null) {
        BufferUtil.clear(buffer);
        patience = 1;
        hasJustAnswered = send(head.flip(), body);
        return hasJustAnswered ? 0 : -1;
      }
      forget();
    } else if (deaf > 0) {
      deaf--;
    } else if (buffer.remaining() <= RepeatedRequest.MAX_LENGTH) {
      request = BufferUtil.toArray(buffer);
    }
    return buffer.remaining();
  }

  /** Sees what is sent: of the answer that is to be repeated the head comes first, and whole. */
  void sending(ByteBuffer... buffers) {
    RangeResponder wanted = responder;
    if (wanted != null) {
      byte[] asked = request;
      responder = null;
      request = null;
      if (asked != null && buffers.length > 0) {
        repeated = RepeatedRequest.of(asked, BufferUtil.toArray(buffers[0]), wanted).orElse(null);
        if (repeated == null) {
          forget();
        }
      }
    }
  }

  /** Whether an answer is on its way; then the callback gets its turn after it. */
  synchronized boolean delays(Callback callback) {
    if (isSending) {
      delayed = callback;
    }
    return isSending;
  }

  private void forget() {
    repeated = null;
    deaf = patience;
    patience = Math.min(2 * patience, MAX_PATIENCE);
  }

  /** Returns false if the connection is broken. */
  private boolean send(ByteBuffer head, RepeatedBody body) {
    try {
      ByteBuffer[] bytes = body.buffers();
      ByteBuffer[] all = new ByteBuffer[bytes.length + 1];
      all[0] = head;
      System.arraycopy(bytes, 0, all, 1, bytes.length);
      if (endPoint.flush(all)) {
        body.succeeded();
        return true;
      }
      body.waits();
      synchronized (this) {
        isSending = true;
      }
      all[0] = ByteBuffer.wrap(BufferUtil.toArray(head));
      endPoint.write(
          Callback.from(
              InvocationType.NON_BLOCKING,
              () -> {
                body.succeeded();
                sent();
              },
              failure -> {
                body.failed(failure);
                endPoint.close(failure);
                sent();
              }),
          all);
      return true;
    } catch (IOException | RuntimeException | Error e) {
      // An Error too: a page that the disk does not deliver is one.
      body.failed(e);
      endPoint.close(e);
      return false;
    }
  }

  private void sent() {
    Callback next;
    synchronized (this) {
      isSending = false;
      next = delayed;
      delayed = null;
    }
    if (next != null) {
      endPoint.fillInterestedNow(next);
    }
  }
}

package io.artifactserver.storage.remote.s3;

import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;

/**
 * A request's body, and a watch on it: a server that takes no more of it would hold its sender for
 * ever, because a write to a socket has no time-out. The sender is a virtual thread, whose sockets
 * an interrupt closes. One request with all its attempts uses it.
 */
final class WatchedBody {
  private final ByteBuffer bytes;
  private final Duration patience;
  private final Thread sender = Thread.currentThread();

  /** Grows with every read and every attempt. */
  private final AtomicLong progress = new AtomicLong();

  private boolean isOver;
  private boolean isStalled;

  private WatchedBody(ByteBuffer bytes, Duration patience) {
    this.bytes = bytes;
    this.patience = patience;
  }

  /**
   * Makes a request with a body.
   *
   * @param bytes in a heap buffer
   * @param patience with a server that takes nothing; longer than an answer and the pauses between
   *     attempts take
   * @throws SdkClientException if the server took nothing for so long
   */
  static <T> T send(
      ByteBuffer bytes, Duration patience, String mediaType, Function<RequestBody, T> request) {
    WatchedBody body = new WatchedBody(bytes, patience);
    Thread watch = Thread.ofVirtual().name("s3-body-watch").start(body::watch);
    try {
      return request.apply(
          RequestBody.fromContentProvider(body::newStream, bytes.remaining(), mediaType));
    } catch (RuntimeException e) {
      if (body.end()) {
        throw SdkClientException.create(
            "the server took nothing of the body for %d s".formatted(patience.toSeconds()), e);
      }
      throw e;
    } finally {
      // Else the interrupt of a watch that was late would hit what comes next.
      var _ = body.end();
      watch.interrupt();
    }
  }

  private ByteArrayInputStream newStream() {
    progress.incrementAndGet();
    // Without a copy.
    return new ByteArrayInputStream(
        bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining()) {
      @Override
      public synchronized int read(byte[] target, int offset, int length) {
        progress.incrementAndGet();
        return super.read(target, offset, length);
      }
    };
  }

  private void watch() {
    try {
      long seen;
      do {
        seen = progress.get();
        Thread.sleep(patience);
      } while (progress.get() != seen);
      interrupt();
    } catch (InterruptedException e) {
      // The request is over.
    }
  }

  private synchronized void interrupt() {
    if (!isOver) {
      isStalled = true;
      sender.interrupt();
    }
  }

  /** Returns whether the sender was interrupted here; it is not any more. */
  private synchronized boolean end() {
    if (isStalled && !isOver) {
      var _ = Thread.interrupted();
    }
    isOver = true;
    return isStalled;
  }
}

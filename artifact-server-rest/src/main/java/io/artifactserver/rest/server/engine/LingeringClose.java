package io.artifactserver.rest.server.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.LongSupplier;
import org.eclipse.jetty.util.IO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes sockets so that clients get the end of their last answer (RFC 9112, section 9.6). A socket
 * that closes while it has unread bytes, or before more come, resets the connection, and the client
 * loses what it has not read. So the server's side is closed first, and what the client still sends
 * is thrown away until it closes its own side, or until its time is over.
 *
 * <p>One thread sees to all of them. For Jetty these sockets are closed: nothing of Jetty's reads
 * or writes them any more. There are few at a time; the oldest makes room. Thread-safe.
 */
final class LingeringClose implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LingeringClose.class);

  /** They are among the descriptors that connections leave to others. */
  static final int MAX_SOCKETS = 200;

  /** After the last byte that comes, and in all, as with nginx. */
  static final Duration PAUSE = Duration.ofSeconds(5);

  static final Duration TIME = Duration.ofSeconds(30);

  /** Between two looks at the clock. */
  private static final long LOOK_MILLIS = 500;

  /** Reads of a socket before the others have their turn. */
  private static final int READS = 4;

  private final Selector selector;
  private final LongSupplier nanoTime;

  /** The oldest first; at most {@link #MAX_SOCKETS}. Guarded by itself. */
  private final Deque<SocketChannel> arriving = new ArrayDeque<>();

  /** The oldest first. Used by the thread alone. */
  private final Deque<Leaving> leaving = new ArrayDeque<>();

  private final ByteBuffer scrap = ByteBuffer.allocateDirect(64 * 1024);
  private final Thread thread;
  private volatile boolean isClosed;

  LingeringClose() {
    this(System::nanoTime);
  }

  /**
   * @param nanoTime the time, in nanoseconds since some moment
   */
  LingeringClose(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    thread = Thread.ofPlatform().daemon().name("lingering-close").start(this::run);
  }

  /**
   * Closes a socket, at once or a little later. Its output is closed when this returns.
   *
   * @param channel non-blocking; nobody else uses it any more
   */
  void close(SocketChannel channel) {
    try {
      channel.shutdownOutput();
    } catch (IOException e) {
      // The client has reset the connection, or the channel is closed already.
      IO.close(channel);
      return;
    }
    synchronized (arriving) {
      arriving.addLast(channel);
      if (isClosed || arriving.size() > MAX_SOCKETS) {
        IO.close(arriving.pollFirst());
      }
    }
    selector.wakeup();
  }

  private void run() {
    try {
      while (!isClosed) {
        selector.select(this::discard, LOOK_MILLIS);
        admit();
        endLate();
      }
    } catch (IOException | RuntimeException e) {
      LOG.error("Sockets are closed without lingering from now on", e);
    } finally {
      endAll();
    }
  }

  private void admit() {
    while (true) {
      SocketChannel channel;
      synchronized (arriving) {
        channel = arriving.pollFirst();
      }
      if (channel == null) {
        return;
      }
      if (leaving.size() == MAX_SOCKETS) {
        IO.close(leaving.removeFirst().channel);
      }
      try {
        Leaving each = new Leaving(channel, nanoTime.getAsLong());
        channel.register(selector, SelectionKey.OP_READ, each);
        leaving.addLast(each);
      } catch (ClosedChannelException e) {
        // All the better.
      }
    }
  }

  private void discard(SelectionKey key) {
    if (key.attachment() instanceof Leaving each) {
      try {
        for (int i = 0; i < READS; i++) {
          int read = each.channel.read(scrap.clear());
          if (read < 0) {
            IO.close(each.channel);
            return;
          }
          if (read == 0) {
            return;
          }
          each.lastRead = nanoTime.getAsLong();
        }
      } catch (IOException e) {
        IO.close(each.channel);
      }
    }
  }

  private void endLate() {
    long now = nanoTime.getAsLong();
    for (Iterator<Leaving> all = leaving.iterator(); all.hasNext(); ) {
      Leaving each = all.next();
      if (now - each.begin > TIME.toNanos() || now - each.lastRead > PAUSE.toNanos()) {
        IO.close(each.channel);
      }
      if (!each.channel.isOpen()) {
        all.remove();
      }
    }
  }

  private void endAll() {
    synchronized (arriving) {
      isClosed = true;
      arriving.forEach(IO::close);
      arriving.clear();
    }
    leaving.forEach(each -> IO.close(each.channel));
    leaving.clear();
    IO.close(selector);
  }

  /** Closes all sockets. */
  @Override
  public void close() {
    isClosed = true;
    selector.wakeup();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Leaving {
    private final SocketChannel channel;
    private final long begin;
    private long lastRead;

    private Leaving(SocketChannel channel, long begin) {
      this.channel = channel;
      this.begin = begin;
      this.lastRead = begin;
    }
  }
}

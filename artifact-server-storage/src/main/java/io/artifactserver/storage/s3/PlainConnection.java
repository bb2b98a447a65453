package io.artifactserver.storage.s3;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A connection of {@link PlainConnections}: one GET at a time, and the body of its answer, which
 * goes from the socket into the buffer that is sent to the client. Used by one thread at a time,
 * but for {@link #abort} and {@link #endIfStalled}.
 */
final class PlainConnection implements AnswerBody {
  private static final int MAX_HEAD_LENGTH = 16 * 1024;

  private final PlainConnections owner;
  private final SocketChannel channel;
  private final long opened = System.nanoTime();
  private final AtomicBoolean isInUse = new AtomicBoolean();

  /** What came with the head; ready to be read from. */
  private final ByteBuffer received = ByteBuffer.allocateDirect(MAX_HEAD_LENGTH).flip();

  /** When the wait for the server began, or ended; by {@link System#nanoTime}. */
  private volatile long since = opened;

  private volatile boolean isWaiting;
  private volatile boolean hasStalled;
  private long missing;
  private boolean isKept;

  private PlainConnection(PlainConnections owner, SocketChannel channel) {
    this.owner = owner;
    this.channel = channel;
  }

  static PlainConnection open(PlainConnections owner, InetSocketAddress address, Duration timeout)
      throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      channel.socket().connect(address, Math.toIntExact(timeout.toMillis()));
      return new PlainConnection(owner, channel);
    } catch (Throwable e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Sends a request. Waits for nothing: all that was sent before is answered, so that the socket
   * has room.
   *
   * @param request all of it
   * @throws IOException if anything is unusual; the connection is to be aborted
   */
  void send(byte[] request) throws IOException {
    if (received.hasRemaining()) {
      throw new IOException("bytes came that nobody had asked for");
    }
    ByteBuffer bytes = ByteBuffer.wrap(request);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /**
   * Waits for the head of the answer to what was sent; its body is read from here.
   *
   * @throws IOException if anything is unusual; the connection is to be aborted
   */
  PlainHead awaitHead() throws IOException {
    PlainHead head = PlainHead.parse(receiveHead());
    missing = head.bodyLength();
    isKept = head.isKept();
    return head;
  }

  @Override
  public int read(ByteBuffer target, int maxLength) throws IOException {
    if (missing == 0) {
      return -1;
    }
    int wanted = (int) Math.min(maxLength, missing);
    int length;
    if (received.hasRemaining()) {
      length = Math.min(wanted, received.remaining());
      target.put(target.position(), received, received.position(), length);
      target.position(target.position() + length);
      received.position(received.position() + length);
    } else {
      int limit = target.limit();
      target.limit(target.position() + wanted);
      try {
        length = receive(target);
      } finally {
        target.limit(limit);
      }
    }
    missing -= length;
    return length;
  }

  @Override
  public void finish() throws IOException {
    if (missing > 0 || received.hasRemaining()) {
      abort();
      throw new IOException(
          missing > 0 ? missing + " bytes are left" : "there are more bytes than were asked for");
    }
    if (isInUse.compareAndSet(true, false)) {
      owner.givenBack(this, isKept);
    }
  }

  @Override
  public void abort() {
    close();
    if (isInUse.compareAndSet(true, false)) {
      owner.givenBack(this, false);
    }
  }

  void begin() {
    isInUse.set(true);
  }

  /** Closes the socket, and nothing else. */
  void close() {
    try {
      channel.close();
    } catch (IOException _) {
      // It is of no use any more either way.
    }
  }

  /** Since it was opened, in nanoseconds. */
  long age(long now) {
    return now - opened;
  }

  /** Since it was used, in nanoseconds. */
  long idleTime(long now) {
    return now - since;
  }

  /** Ends a wait that has taken longer than that: a blocking read knows no time-out. */
  void endIfStalled(long now, long timeoutNanos) {
    if (isWaiting && now - since > timeoutNanos) {
      hasStalled = true;
      close();
    }
  }

  private String receiveHead() throws IOException {
    received.clear();
    try {
      int searched = 0;
      while (true) {
        receive(received);
        for (int i = searched; i + 3 < received.position(); i++) {
          if (received.getInt(i) == 0x0d0a0d0a) {
            byte[] head = new byte[i + 2];
            received.get(0, head);
            received.flip().position(i + 4);
            return new String(head, StandardCharsets.ISO_8859_1);
          }
        }
        if (!received.hasRemaining()) {
          throw new IOException("the head of an answer is longer than " + MAX_HEAD_LENGTH);
        }
        searched = Math.max(0, received.position() - 3);
      }
    } catch (Throwable e) {
      received.clear().flip();
      throw e;
    }
  }

  /** Waits for at least a byte. */
  private int receive(ByteBuffer target) throws IOException {
    since = System.nanoTime();
    isWaiting = true;
    int length;
    try {
      length = channel.read(target);
    } catch (IOException e) {
      if (hasStalled) {
        SocketTimeoutException timeout = new SocketTimeoutException("the server does not send");
        timeout.initCause(e);
        throw timeout;
      }
      throw e;
    } finally {
      isWaiting = false;
      since = System.nanoTime();
    }
    if (length < 0) {
      throw new IOException("the server has closed the connection");
    }
    return length;
  }
}

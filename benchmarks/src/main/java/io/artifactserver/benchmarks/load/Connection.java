package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection with one request at a time. It understands bodies with a Content-Length
 * and nothing else, and compares each byte as it arrives. Used by its loop's thread only.
 */
final class Connection {
  private static final int LONGEST_HEAD = 16 * 1024;
  private static final int HEAD_STEP = 1024;
  private static final byte[] NO_HEAD = {};
  private static final byte[] RANGE = ascii("Range: bytes=");
  private static final byte[] IF_RANGE = ascii("\r\nIf-Range: ");
  private static final byte[] END = ascii("\r\n\r\n");
  private static final long NANOS = 1_000_000_000L;

  /** What happens to a connection. Called by the loop's thread. */
  interface Events {
    /** A request may be sent. */
    void connected(Connection connection);

    /**
     * The whole body arrived and was right. Another request may be sent, if the server did not
     * close the connection: {@link #isOpen} tells.
     *
     * @param nanos since the request was due
     */
    void completed(Connection connection, long nanos);

    /** The body was dropped where the request said so; the connection is closed. */
    default void dropped(Connection connection) {}

    /** It is closed and must be connected again. */
    void failed(Connection connection, Failure failure);
  }

  /** How a connection is made. */
  interface Opening {
    /** As the system makes them. */
    Opening PLAIN = channel -> {};

    /** Sets what must be set before connecting. */
    void prepare(SocketChannel channel) throws IOException;

    /** From this local address, with a small receive buffer, as a device has it. */
    static Opening device(InetSocketAddress from, int receiveBuffer) {
      return channel -> {
        channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
        channel.bind(from);
      };
    }
  }

  private enum State {
    CLOSED,
    CONNECTING,
    OPENING,
    IDLE,
    HEAD,
    BODY
  }

  private final EventLoop loop;
  private final Target target;
  private final byte[] requestHead;
  private final Events events;
  private final Opening opening;
  private final Optional<? extends TlsEngines> tls;
  private final ByteBuffer request = ByteBuffer.allocateDirect(1024);

  private State state = State.CLOSED;
  private @Nullable SocketChannel channel;
  private @Nullable SelectionKey key;
  private @Nullable Transport transport;
  private int generation;

  // The request under way.
  private ByteSpan span = new ByteSpan(0, 1);
  private boolean whole;
  private boolean wantEntityTag;
  private long due;
  private long dropAt;
  private long received;
  private boolean closesAfter;
  private byte[] head = NO_HEAD;
  private int headLength;
  private long lastProgress;
  private String entityTag = "";

  // Pacing; 0 is as fast as it comes.
  private long bytesPerSecond;
  private long paceNanos;
  private double allowance;
  private long pacedSince;
  private long totalReceived;

  Connection(
      EventLoop loop,
      Target target,
      Events events,
      Opening opening,
      Optional<? extends TlsEngines> tls) {
    this.loop = loop;
    this.target = target;
    this.requestHead = ascii(target.requestHead());
    this.events = events;
    this.opening = opening;
    this.tls = tls;
  }

  /**
   * From now on takes no more than this from the socket, in a portion each interval, and does not
   * catch up on what did not come in time: a slow link cannot either.
   */
  void pace(long newBytesPerSecond, long intervalNanos) {
    bytesPerSecond = newBytesPerSecond;
    paceNanos = intervalNanos;
  }

  /** Begins to connect. */
  void connect() {
    state = State.CONNECTING;
    generation++;
    lastProgress = System.nanoTime();
    loop.add(this);
    try {
      SocketChannel opened = SocketChannel.open();
      channel = opened;
      opened.configureBlocking(false);
      opened.setOption(StandardSocketOptions.TCP_NODELAY, true);
      opening.prepare(opened);
      boolean connected = opened.connect(target.address());
      key = opened.register(loop.selector(), connected ? 0 : SelectionKey.OP_CONNECT, this);
      if (connected) {
        opened(opened);
      }
    } catch (IOException e) {
      fail("connect", "cannot connect: " + e.getMessage());
    }
  }

  /** Asks for all of it. */
  void requestWhole(long newDue) {
    request(new ByteSpan(0, loop.content().length()), true, "", newDue, Long.MAX_VALUE);
  }

  /** Asks for a span. The connection must be idle. */
  void request(ByteSpan newSpan, long newDue) {
    request(newSpan, false, "", newDue, Long.MAX_VALUE);
  }

  /**
   * Asks for a span or for all.
   *
   * @param ifRange entity tag for If-Range; empty for none
   * @param newDue when it should have been sent: its latency counts from then
   * @param newDropAt bytes of the body after which the connection is dropped
   */
  void request(ByteSpan newSpan, boolean newWhole, String ifRange, long newDue, long newDropAt) {
    if (state != State.IDLE || transport == null) {
      throw new IllegalStateException("A request in state " + state);
    }
    span = newSpan;
    whole = newWhole;
    due = newDue;
    dropAt = newDropAt;
    received = 0;
    headLength = 0;
    request.clear();
    request.put(requestHead);
    if (newWhole) {
      request.put(END, 0, 2);
    } else {
      request.put(RANGE);
      putNumber(newSpan.position());
      request.put((byte) '-');
      if (ifRange.isEmpty()) {
        putNumber(newSpan.end() - 1);
      } else {
        // As clients resume: to the end, whatever that is.
        request.put(IF_RANGE).put(ascii(ifRange));
      }
      request.put(END);
    }
    state = State.HEAD;
    lastProgress = System.nanoTime();
    try {
      transport.write(request.flip());
      if (!transport.flush()) {
        interest(SelectionKey.OP_WRITE | SelectionKey.OP_READ);
      } else if (bytesPerSecond > 0) {
        startPacing();
      } else {
        interest(SelectionKey.OP_READ);
      }
    } catch (IOException e) {
      fail("broken", "cannot send: " + e.getMessage());
    }
  }

  /** Whether the next responses' entity tags are to be read. */
  void wantEntityTag() {
    wantEntityTag = true;
  }

  /** Of the last response, if it was wanted; empty otherwise. */
  String entityTag() {
    return entityTag;
  }

  /** Bytes of the body under way or last under way. */
  long received() {
    return received;
  }

  /** Bytes of all bodies so far. */
  long totalReceived() {
    return totalReceived;
  }

  boolean isOpen() {
    return state != State.CLOSED;
  }

  boolean isIdle() {
    return state == State.IDLE;
  }

  /** Whether the server owes it something. */
  boolean isWaiting() {
    return state != State.CLOSED && state != State.IDLE;
  }

  long lastProgress() {
    return lastProgress;
  }

  void stalled() {
    fail("stalled", "no byte came for " + (System.nanoTime() - lastProgress) / 1_000_000 + " ms");
  }

  /** Closes it with a reset, so that no address stays in use. */
  void abort() {
    SocketChannel closing = channel;
    channel = null;
    key = null;
    transport = null;
    state = State.CLOSED;
    generation++;
    loop.remove(this);
    if (closing != null) {
      try {
        closing.setOption(StandardSocketOptions.SO_LINGER, 0);
      } catch (IOException e) {
        // It is closed by the server already.
      }
      try {
        closing.close();
      } catch (IOException e) {
        throw new IllegalStateException("Cannot close a socket", e);
      }
    }
  }

  /** The selector found something to do. */
  void ready() {
    SocketChannel current = channel;
    Transport open = transport;
    try {
      switch (state) {
        case CONNECTING -> {
          if (current != null && current.finishConnect()) {
            opened(current);
          }
        }
        case OPENING -> openTransport();
        case HEAD, BODY, IDLE -> {
          if (open == null) {
            return;
          }
          if (key != null && (key.interestOps() & SelectionKey.OP_WRITE) != 0 && open.flush()) {
            interest(SelectionKey.OP_READ);
            if (bytesPerSecond > 0) {
              startPacing();
            }
          }
          readAvailable(open);
        }
        case CLOSED -> {}
      }
    } catch (IOException e) {
      fail(
          state == State.CONNECTING ? "connect" : "broken",
          "the connection broke: " + e.getMessage());
    }
  }

  private void opened(SocketChannel connected) throws IOException {
    transport =
        target.tls()
            ? new TlsTransport(connected, tls.orElseThrow().engine())
            : new Transport.Plain(connected);
    state = State.OPENING;
    openTransport();
  }

  private void openTransport() throws IOException {
    if (transport == null) {
      return;
    }
    lastProgress = System.nanoTime();
    if (transport.open()) {
      state = State.IDLE;
      // Idle connections are watched as well: a server may close them.
      interest(SelectionKey.OP_READ);
      events.connected(this);
    } else {
      interest(SelectionKey.OP_READ);
    }
  }

  private void interest(int operations) {
    if (key != null && key.isValid() && key.interestOps() != operations) {
      key.interestOps(operations);
    }
  }

  private void readAvailable(Transport open) throws IOException {
    ByteBuffer input = loop.input();
    int before = generation;
    int n;
    do {
      input.clear();
      n = open.read(input);
      if (n < 0) {
        ended();
        return;
      }
      if (n > 0) {
        take(input.flip());
      }
      // A full buffer says that there is more, and TLS may hold some that the selector cannot see.
    } while (generation == before && n > 0 && (n == input.capacity() || target.tls()));
  }

  private void startPacing() {
    interest(0);
    long now = System.nanoTime();
    pacedSince = now;
    allowance = 0;
    int mine = generation;
    loop.schedule(now + paceNanos, () -> takePaced(mine));
  }

  private void takePaced(int mine) {
    Transport open = transport;
    if (mine != generation || open == null || (state != State.HEAD && state != State.BODY)) {
      return;
    }
    long now = System.nanoTime();
    double portion = (double) bytesPerSecond * (now - pacedSince) / NANOS;
    pacedSince = now;
    // What was not taken in time is lost, or else a late server could be made up for.
    allowance = Math.min(allowance, 0) + portion;
    try {
      if (allowance > 0) {
        ByteBuffer input = loop.input();
        input.clear();
        input.limit(
            Math.clamp((long) allowance, Math.min(open.smallestRead(), 1 << 15), input.capacity()));
        int n = open.read(input);
        if (n < 0) {
          ended();
          return;
        }
        allowance -= n;
        if (n > 0) {
          take(input.flip());
        }
      }
    } catch (IOException e) {
      fail("broken", "the connection broke: " + e.getMessage());
      return;
    }
    if (mine == generation && isWaiting()) {
      loop.schedule(now + paceNanos, () -> takePaced(mine));
    }
  }

  private void ended() {
    switch (state) {
      case HEAD, BODY ->
          fail(
              "short body",
              "the connection ended after "
                  + received
                  + " of "
                  + span.length()
                  + " bytes"
                  + (state == State.HEAD ? ", before the head" : ""));
      case IDLE -> fail("closed", "the server closed an idle connection");
      case CONNECTING, OPENING -> fail("connect", "the connection ended while it was opened");
      case CLOSED -> {}
    }
  }

  private void take(ByteBuffer input) {
    lastProgress = System.nanoTime();
    if (state == State.IDLE) {
      fail("unasked bytes", input.remaining() + " bytes came that nobody asked for");
      return;
    }
    if (state == State.HEAD && !takeHead(input)) {
      return;
    }
    if (state == State.BODY) {
      takeBody(input);
    }
  }

  /** Returns whether the body may follow. */
  private boolean takeHead(ByteBuffer input) {
    int end = -1;
    while (end < 0) {
      if (headLength >= LONGEST_HEAD) {
        fail("malformed", "the response head does not end");
        return false;
      }
      if (!input.hasRemaining()) {
        return false;
      }
      int before = headLength;
      int n = Math.min(input.remaining(), HEAD_STEP);
      if (head.length < before + n) {
        head = Arrays.copyOf(head, before + n);
      }
      input.get(head, before, n);
      headLength += n;
      end = endOfHead(Math.max(3, before));
      if (end >= 0) {
        input.position(input.position() - (headLength - end));
      }
    }
    ResponseHead response = loop.responseHead();
    if (!response.parse(head, end, wantEntityTag)) {
      fail("malformed", "the response head cannot be understood: " + firstLine());
      return false;
    }
    int expected = whole ? 200 : 206;
    if (response.status() != expected) {
      fail("status " + response.status(), "status " + response.status() + " for " + span);
      return false;
    }
    if (response.contentLength() != span.length()) {
      fail(
          "wrong length",
          "Content-Length " + response.contentLength() + " where " + span.length() + " was right");
      return false;
    }
    if (!whole && !response.isRange(span, loop.content().length())) {
      fail("wrong range", "the Content-Range is not the range that was asked for: " + span);
      return false;
    }
    if (wantEntityTag) {
      entityTag = response.entityTag();
    }
    closesAfter = response.closes();
    state = State.BODY;
    return true;
  }

  private int endOfHead(int from) {
    for (int i = from; i < headLength; i++) {
      if (head[i] == '\n' && head[i - 1] == '\r' && head[i - 2] == '\n' && head[i - 3] == '\r') {
        return i + 1;
      }
    }
    return -1;
  }

  private String firstLine() {
    String text = new String(head, 0, Math.min(headLength, 80), StandardCharsets.US_ASCII);
    return text.lines().findFirst().orElse("");
  }

  private void takeBody(ByteBuffer input) {
    int n = (int) Math.min(input.remaining(), span.length() - received);
    int rest = input.remaining() - n;
    if (n > 0) {
      input.limit(input.position() + n);
      long differs = loop.content().mismatch(input, span.position() + received);
      if (differs >= 0) {
        throw new WrongBytesException(
            "%s sent a wrong byte at position %d, in its answer to %s"
                .formatted(target, differs, span));
      }
      received += n;
      totalReceived += n;
      loop.tally().received(n);
    }
    if (received == span.length()) {
      if (rest > 0) {
        fail("unasked bytes", rest + " bytes came after the end of the body");
        return;
      }
      completed();
    } else if (received >= dropAt) {
      abort();
      events.dropped(this);
    }
  }

  private void completed() {
    long nanos = System.nanoTime() - due;
    loop.tally().completed(nanos);
    state = State.IDLE;
    if (bytesPerSecond > 0) {
      interest(SelectionKey.OP_READ);
    }
    if (closesAfter) {
      abort();
    }
    events.completed(this, nanos);
  }

  private void fail(String kind, String message) {
    abort();
    Failure failure = new Failure(kind, target + ": " + message);
    loop.tally().failed(failure);
    events.failed(this, failure);
  }

  private void putNumber(long number) {
    if (number >= 10) {
      putNumber(number / 10);
    }
    request.put((byte) ('0' + number % 10));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Makes the client side of TLS connections. Thread-safe. */
  @FunctionalInterface
  interface TlsEngines {
    SSLEngine engine();
  }
}

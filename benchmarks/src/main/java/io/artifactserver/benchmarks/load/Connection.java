package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection with one request at a time. It understands bodies with a Content-Length
 * and nothing else, and compares each byte as it arrives. Used by its loop's thread only.
 */
final class Connection {
  private enum State {
    CLOSED,
    CONNECTING,
    OPENING,
    IDLE,
    ASKED
  }

  private final EventLoop loop;
  private final Target target;
  private final ConnectionEvents events;
  private final Opening opening;
  private final Optional<? extends TlsEngines> tls;
  private final RequestBytes requests;
  private final Response response;

  private State state = State.CLOSED;
  private @Nullable SocketChannel channel;
  private @Nullable SelectionKey key;
  private @Nullable Transport transport;
  private int generation;

  private long due;
  private long dropAt;
  private long lastProgress;
  private long totalReceived;

  /** Null while it takes bytes without delay. */
  private @Nullable Pace pace;

  Connection(
      EventLoop loop,
      Target target,
      ConnectionEvents events,
      Opening opening,
      Optional<? extends TlsEngines> tls) {
    this.loop = loop;
    this.target = target;
    this.events = events;
    this.opening = opening;
    this.tls = tls;
    this.requests = new RequestBytes(target);
    this.response = new Response(target, loop.content(), loop.responseHead());
  }

  /** Limits how fast it takes bytes from now on. */
  void pace(long bytesPerSecond, long intervalNanos) {
    pace = new Pace(bytesPerSecond, intervalNanos);
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

  void requestWhole(long newDue) {
    request(new ByteSpan(0, loop.content().length()), true, "", newDue, Long.MAX_VALUE);
  }

  /** Sends a request whose answer is a span of the content, as a whole. */
  void requestResource(byte[] request, ByteSpan span, long newDue) {
    send(requests.of(request), span, true, newDue, Long.MAX_VALUE);
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
    ByteBuffer request = newWhole ? requests.forWhole() : requests.forSpan(newSpan, ifRange);
    send(request, newSpan, newWhole, newDue, newDropAt);
  }

  private void send(
      ByteBuffer request, ByteSpan newSpan, boolean newWhole, long newDue, long newDropAt) {
    if (state != State.IDLE || transport == null) {
      throw new IllegalStateException("A request in state " + state);
    }
    due = newDue;
    dropAt = newDropAt;
    response.expect(newSpan, newWhole);
    state = State.ASKED;
    lastProgress = System.nanoTime();
    try {
      transport.write(request);
      if (transport.flush()) {
        startReading();
      } else {
        interest(SelectionKey.OP_WRITE | SelectionKey.OP_READ);
      }
    } catch (IOException e) {
      fail("broken", "cannot send: " + e.getMessage());
    }
  }

  /** The response under way, or the last one. */
  Response response() {
    return response;
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

  boolean isWaiting() {
    return state != State.CLOSED && state != State.IDLE;
  }

  long lastProgress() {
    return lastProgress;
  }

  void stalled() {
    fail("stalled", "no byte came for " + (System.nanoTime() - lastProgress) / 1_000_000 + " ms");
  }

  void abort() {
    SocketChannel closing = channel;
    channel = null;
    key = null;
    transport = null;
    state = State.CLOSED;
    generation++;
    loop.remove(this);
    if (closing != null) {
      Sockets.reset(closing);
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
        case ASKED, IDLE -> {
          if (open == null) {
            return;
          }
          if (key != null && (key.interestOps() & SelectionKey.OP_WRITE) != 0 && open.flush()) {
            startReading();
          }
          readAvailable(open);
        }
        case CLOSED -> {}
      }
    } catch (IOException e) {
      String kind = state == State.CONNECTING ? "connect" : "broken";
      fail(kind, "the connection broke: " + e.getMessage());
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
    boolean isOpen = transport.open();
    // Idle connections are watched as well: a server may close them.
    interest(SelectionKey.OP_READ);
    if (isOpen) {
      state = State.IDLE;
      events.connected(this);
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

  private void startReading() {
    Pace current = pace;
    if (current == null) {
      interest(SelectionKey.OP_READ);
      return;
    }
    interest(0);
    long now = System.nanoTime();
    current.start(now);
    int mine = generation;
    loop.schedule(current.next(now), () -> takePortion(current, mine));
  }

  private void takePortion(Pace current, int mine) {
    Transport open = transport;
    if (mine != generation || open == null || state != State.ASKED) {
      return;
    }
    long now = System.nanoTime();
    long portion = current.portion(now);
    try {
      if (portion > 0) {
        ByteBuffer input = loop.input().clear();
        input.limit(Math.clamp(portion, Math.min(open.smallestRead(), 1 << 15), input.capacity()));
        int n = open.read(input);
        if (n < 0) {
          ended();
          return;
        }
        current.taken(n);
        if (n > 0) {
          take(input.flip());
        }
      }
    } catch (IOException e) {
      fail("broken", "the connection broke: " + e.getMessage());
      return;
    }
    if (mine == generation && isWaiting()) {
      loop.schedule(current.next(now), () -> takePortion(current, mine));
    }
  }

  private void ended() {
    switch (state) {
      case ASKED -> fail("short body", "the connection ended after " + response.progress());
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
    try {
      int n = response.take(input);
      totalReceived += n;
      loop.tally().received(n);
    } catch (Response.UnexpectedResponseException e) {
      fail(e.kind(), String.valueOf(e.getMessage()));
      return;
    }
    if (response.isComplete()) {
      if (input.hasRemaining()) {
        fail("unasked bytes", input.remaining() + " bytes came after the end of the body");
        return;
      }
      completed();
    } else if (response.received() >= dropAt) {
      abort();
      events.dropped(this);
    }
  }

  private void completed() {
    long nanos = System.nanoTime() - due;
    loop.tally().completed(nanos);
    state = State.IDLE;
    interest(SelectionKey.OP_READ);
    if (response.closes()) {
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
}

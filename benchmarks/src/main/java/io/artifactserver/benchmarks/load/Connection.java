package io.artifactserver.benchmarks.load;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection with one request at a time, which blocks its thread. It understands
 * bodies with a Content-Length and nothing else, and compares each byte as it arrives. Used by one
 * thread, but for {@link #endIfStalled} and {@link #totalReceived}.
 */
final class Connection implements AutoCloseable {
  private static final int INPUT_LENGTH = 256 * 1024;
  private static final int DEVICE_INPUT_LENGTH = 16 * 1024;

  /** Addresses 127.0.1.1 to 127.0.1.200: a fleet has many, and servers may limit each. */
  private static final int DEVICE_ADDRESSES = 200;

  private final Target target;
  private final Content content;
  private final Tally tally;
  private final Optional<TrustingTls> tls;
  private final String fields;

  private ByteBuffer input = ByteBuffer.allocate(0);
  private int inputLength = INPUT_LENGTH;
  private int receiveBuffer;
  private InetSocketAddress from = new InetSocketAddress(0);
  private String session = "";
  private long bytesPerSecond;
  private Duration interval = Duration.ZERO;

  // Closed by another thread when it stalls.
  private volatile @Nullable SocketChannel channel;
  private @Nullable ReadableByteChannel in;
  private @Nullable WritableByteChannel out;
  private volatile boolean stalled;
  // When the last byte came; 0 while nothing is waited for.
  private volatile long waitingSince;
  private final AtomicLong totalReceived = new AtomicLong();

  private long takenUntil;
  private long received;
  private String entityTag = "";

  Connection(Target target, RoundSettings settings, Tally tally) {
    this.target = target;
    this.content = settings.content();
    this.tally = tally;
    this.tls = settings.tls();
    this.fields =
        " HTTP/1.1\r\nHost: %s\r\n".formatted(target.uri().getRawAuthority())
            + target.fields().stream().map(field -> field + "\r\n").collect(joining());
  }

  /** Makes it one of a device: from an address of its own, with a receive buffer in bytes. */
  Connection ofDevice(int number, int newReceiveBuffer) {
    inputLength = DEVICE_INPUT_LENGTH;
    receiveBuffer = newReceiveBuffer;
    if (target.address().getAddress().isLoopbackAddress()) {
      byte[] address = {127, 0, 1, (byte) (1 + number % DEVICE_ADDRESSES)};
      try {
        from = new InetSocketAddress(InetAddress.getByAddress(address), 0);
      } catch (UnknownHostException e) {
        throw new IllegalStateException("Four bytes are an address", e);
      }
    }
    return this;
  }

  /**
   * Limits how fast it takes bytes: a portion each interval. What did not come in time is not made
   * up for: a slow link cannot do that either.
   */
  Connection paced(long newBytesPerSecond, Duration newInterval) {
    bytesPerSecond = newBytesPerSecond;
    interval = newInterval;
    long portion = newBytesPerSecond * newInterval.toMillis() / 1000;
    inputLength = (int) Math.max(2 * DEVICE_INPUT_LENGTH, 2 * portion);
    return this;
  }

  /** Makes it resume the last TLS session of this name, if the server lets it. */
  Connection resuming(String name) {
    session = name;
    return this;
  }

  /** Connects. */
  void connect() throws RequestFailedException {
    if (input.capacity() == 0) {
      input = ByteBuffer.allocateDirect(inputLength);
    }
    stalled = false;
    waitingSince = System.nanoTime();
    try {
      SocketChannel opened = SocketChannel.open();
      channel = opened;
      opened.setOption(StandardSocketOptions.TCP_NODELAY, true);
      if (receiveBuffer > 0) {
        opened.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
        opened.bind(from);
      }
      opened.connect(target.address());
      in = opened;
      out = opened;
      if (target.tls()) {
        var secured = tls.orElseThrow().secure(opened.socket(), session);
        in = Channels.newChannel(secured.getInputStream());
        out = Channels.newChannel(secured.getOutputStream());
      }
    } catch (IOException e) {
      throw failure("connect", "cannot connect: " + e.getMessage());
    } finally {
      waitingSince = 0;
    }
  }

  boolean isOpen() {
    return channel != null;
  }

  /** Asks, and takes all of the answer. The connection must be open. */
  void get(Request request, long due) throws RequestFailedException, InterruptedException {
    get(request, due, Long.MAX_VALUE);
  }

  /**
   * Asks, and takes the answer.
   *
   * @param due when it should have been sent: its latency counts from then
   * @param dropAt bytes of the body after which the connection is dropped
   * @return whether all of it came: it was not dropped
   * @throws WrongBytesException if a byte of the body is another one
   */
  boolean get(Request request, long due, long dropAt)
      throws RequestFailedException, InterruptedException {
    received = 0;
    waitingSince = System.nanoTime();
    takenUntil = waitingSince;
    try {
      send(request);
      boolean closes = takeHead(request);
      if (!takeBody(request, dropAt)) {
        close();
        return false;
      }
      tally.completed(System.nanoTime() - due);
      if (closes) {
        close();
      }
      return true;
    } catch (RequestFailedException e) {
      throw e;
    } catch (IOException e) {
      throw failure("broken", "the connection broke: " + e.getMessage());
    } finally {
      waitingSince = 0;
    }
  }

  /** Bytes of the last body. */
  long received() {
    return received;
  }

  /** Bytes of all bodies so far. */
  long totalReceived() {
    return totalReceived.get();
  }

  /** The last answer's; empty if it had none. */
  String entityTag() {
    return entityTag;
  }

  /** Ends a request that made no progress for so long. */
  void endIfStalled(long nanos) {
    long since = waitingSince;
    SocketChannel current = channel;
    if (since != 0 && current != null && System.nanoTime() - since > nanos) {
      stalled = true;
      reset(current);
    }
  }

  @Override
  public void close() {
    SocketChannel current = channel;
    channel = null;
    if (current != null) {
      reset(current);
    }
  }

  /** Closes it with a reset, so that no address stays in use. */
  private static void reset(SocketChannel closing) {
    try (closing) {
      closing.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException e) {
      // It is closed already.
    }
  }

  private void send(Request request) throws IOException {
    String path = request.path().isEmpty() ? target.uri().getRawPath() : request.path();
    ByteBuffer bytes =
        StandardCharsets.US_ASCII.encode("GET " + path + fields + request.fields() + "\r\n");
    WritableByteChannel open = Objects.requireNonNull(out);
    while (bytes.hasRemaining()) {
      open.write(bytes);
    }
  }

  /** Returns whether the server will close the connection. */
  private boolean takeHead(Request request) throws IOException, InterruptedException {
    input.clear();
    int end = -1;
    while (end < 0) {
      if (!input.hasRemaining()) {
        throw failure("malformed", "the response head does not end");
      }
      fill(request, "before the head");
      end = ResponseHead.end(input, input.position());
    }
    ResponseHead head = ResponseHead.of(input, end);
    input.flip().position(end);
    if (!head.isUnderstood()) {
      throw failure("malformed", "the response head cannot be understood: " + head.text());
    }
    if (request.isPoll()) {
      skipBody(request, head);
      return head.closes();
    }
    ByteSpan span = request.span();
    if (!head.status().equals(request.isWhole() ? "200" : "206")) {
      throw failure("status " + head.status(), "status " + head.status() + " for " + span);
    }
    String length = head.field("content-length:");
    if (!length.equals(Long.toString(span.length()))) {
      throw failure("wrong length", "Content-Length " + length + " for " + span);
    }
    if (!request.isWhole() && !head.isRange(span, content.length())) {
      throw failure("wrong range", "the Content-Range is not what was asked for: " + span);
    }
    entityTag = head.field("etag:");
    return head.closes();
  }

  /** Takes the body of an answer to a poll, and leaves the input empty. */
  private void skipBody(Request request, ResponseHead head)
      throws IOException, InterruptedException {
    if (!head.status().equals(request.status())) {
      throw failure("status " + head.status(), "status " + head.status() + " for a poll");
    }
    String length = head.field("content-length:");
    boolean hasBody = !length.isEmpty() && !head.status().equals("304");
    long left = hasBody ? Long.parseLong(length) : 0;
    while (input.remaining() < left) {
      left -= input.remaining();
      input.clear();
      fill(request, "of the body");
      input.flip();
    }
    input.position(input.position() + (int) left);
  }

  /** Returns whether all of it came. */
  private boolean takeBody(Request request, long dropAt) throws IOException, InterruptedException {
    ByteSpan span = request.span();
    while (true) {
      int n = (int) Math.min(input.remaining(), span.length() - received);
      content.compare(input.slice(input.position(), n), span, received, target);
      input.position(input.position() + n);
      received += n;
      totalReceived.addAndGet(n);
      tally.received(n);
      if (received == span.length()) {
        if (input.hasRemaining()) {
          throw failure("unasked bytes", input.remaining() + " bytes came after the body");
        }
        return true;
      }
      if (received >= dropAt) {
        return false;
      }
      input.clear();
      fill(request, "of the body");
      input.flip();
    }
  }

  /** Waits for bytes and puts them behind those that are in the input. */
  private void fill(Request request, String where) throws IOException, InterruptedException {
    if (bytesPerSecond > 0) {
      Thread.sleep(interval);
      long portion = (long) (bytesPerSecond * ((System.nanoTime() - takenUntil) / 1e9)) + 1;
      input.limit((int) Math.min(input.limit(), input.position() + portion));
    }
    if (Objects.requireNonNull(in).read(input) < 0) {
      throw failure(
          "short body",
          "the connection ended after %d of %d bytes %s"
              .formatted(received, request.span().length(), where));
    }
    input.limit(input.capacity());
    takenUntil = System.nanoTime();
    waitingSince = takenUntil;
  }

  private RequestFailedException failure(String kind, String message) {
    close();
    return stalled
        ? new RequestFailedException("stalled", target + ": no more bytes came")
        : new RequestFailedException(kind, target + ": " + message);
  }
}

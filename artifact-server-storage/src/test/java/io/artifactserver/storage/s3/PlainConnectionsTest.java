package io.artifactserver.storage.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Before a server that says what a test wants it to say. */
@Timeout(60)
class PlainConnectionsTest {
  /** For tests that do not wait for it: a busy machine may answer after seconds. */
  private static final Duration PATIENT = Duration.ofMinutes(2);

  private static final Duration IMPATIENT = Duration.ofSeconds(2);
  private static final byte[] REQUEST = ascii("GET / HTTP/1.1\r\n\r\n");
  private static final String HEAD = "HTTP/1.1 206 OK\r\nContent-Length: 5\r\n\r\n";

  /** What the server sends after a request: in pieces, a little apart. */
  private final LinkedBlockingQueue<List<byte[]>> answers = new LinkedBlockingQueue<>();

  private final AtomicInteger accepted = new AtomicInteger();
  private ServerSocket server;
  private Thread acceptor;
  private PlainConnections connections;

  @BeforeEach
  void open() throws Exception {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    acceptor = Thread.ofVirtual().start(this::accept);
    connections = connections(PATIENT);
  }

  private PlainConnections connections(Duration readTimeout) {
    return new PlainConnections("localhost", server.getLocalPort(), PATIENT, readTimeout, 2);
  }

  private void becomeImpatient() {
    connections.close();
    connections = connections(IMPATIENT);
  }

  @AfterEach
  void close() throws Exception {
    connections.close();
    server.close();
  }

  @Test
  void oneConnectionServesRequestAfterRequest() throws Exception {
    for (String body : List.of("first", "other", "third")) {
      answers.add(List.of(ascii(HEAD + body)));
      assertThat(read(connections.take().orElseThrow())).isEqualTo(body);
    }
    assertThat(accepted).hasValue(1);
  }

  @Test
  void anAnswerMayComeByteByByte() throws Exception {
    byte[] all = ascii(HEAD + "bytes");
    answers.add(IntStream.range(0, all.length).mapToObj(i -> new byte[] {all[i]}).toList());
    assertThat(read(connections.take().orElseThrow())).isEqualTo("bytes");
  }

  /**
   * Into a buffer of each kind, behind what is in it already, and not beyond what was asked for.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLongBodyComesWhole(boolean isDirect) throws Exception {
    byte[] body = new byte[1_000_000];
    new Random(17).nextBytes(body);
    answers.add(List.of(ascii("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"), body));
    PlainConnection connection = connections.take().orElseThrow();
    assertThat(ask(connection).bodyLength()).isEqualTo(1_000_000);
    ByteBuffer target =
        isDirect ? ByteBuffer.allocateDirect(1_000_100) : ByteBuffer.allocate(1_000_100);
    target.position(50);
    while (true) {
      int before = target.position();
      int length = connection.read(target, Math.min(777, target.remaining()));
      if (length < 0) {
        break;
      }
      assertThat(length).isBetween(1, 777);
      assertThat(target.position()).isEqualTo(before + length);
      assertThat(target.limit()).isEqualTo(1_000_100);
    }
    connection.finish();
    byte[] read = new byte[target.position()];
    target.get(0, read);
    assertThat(Arrays.copyOfRange(read, 50, read.length)).isEqualTo(body);
  }

  @Test
  void aConnectionThatIsNotKeptIsNotUsedAgain() throws Exception {
    String head = HEAD.replace("Content", "Connection: close\r\nContent");
    for (int i = 1; i <= 2; i++) {
      answers.add(List.of(ascii(head + "bytes")));
      assertThat(read(connections.take().orElseThrow())).isEqualTo("bytes");
      assertThat(accepted).hasValue(i);
    }
  }

  @Test
  void bytesThatNobodyAskedForEndTheConnection() throws Exception {
    answers.add(List.of(ascii(HEAD + "bytes and more")));
    PlainConnection connection = connections.take().orElseThrow();
    ask(connection);
    ByteBuffer target = ByteBuffer.allocate(100);
    assertThat(connection.read(target, 100)).isEqualTo(5);
    assertThat(connection.read(target, 95)).isEqualTo(-1);
    assertThatThrownBy(connection::finish).hasMessageContaining("more bytes");
    assertThat(connections.take()).isPresent().get().isNotSameAs(connection);
    requirePlaces(1);
  }

  @Test
  void aBodyThatIsNotReadToItsEndCannotBeFinished() throws Exception {
    answers.add(List.of(ascii(HEAD + "bytes")));
    PlainConnection connection = connections.take().orElseThrow();
    ask(connection);
    connection.read(ByteBuffer.allocate(4), 4);
    assertThatThrownBy(connection::finish).hasMessageContaining("1 bytes are left");
    connection.abort();
    requirePlaces(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 206 OK\r\nContent-Le", "SSH-2.0\r\n\r\n"})
  void anAnswerThatEndsInItsHeadIsNone(String answer) throws Exception {
    answers.add(List.of(ascii(answer), new byte[0]));
    PlainConnection connection = connections.take().orElseThrow();
    assertThatThrownBy(() -> ask(connection)).isInstanceOf(IOException.class);
    connection.abort();
    requirePlaces(2);
  }

  @Test
  void aHeadWithoutEndIsNotReadForEver() throws Exception {
    answers.add(List.of(ascii("HTTP/1.1 206 OK\r\nX: " + "x".repeat(100_000))));
    PlainConnection connection = connections.take().orElseThrow();
    assertThatThrownBy(() -> ask(connection)).hasMessageContaining("longer than");
    connection.abort();
  }

  @Test
  void aBodyThatBreaksOffIsSaidToBe() throws Exception {
    answers.add(List.of(ascii(HEAD + "byt"), new byte[0]));
    PlainConnection connection = connections.take().orElseThrow();
    ask(connection);
    ByteBuffer target = ByteBuffer.allocate(5);
    assertThatThrownBy(
            () -> {
              while (target.hasRemaining()) {
                connection.read(target, target.remaining());
              }
            })
        .hasMessageContaining("closed the connection");
    assertThat(target.position()).isEqualTo(3);
    connection.abort();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", HEAD})
  void aServerThatStopsSendingIsNotWaitedForForEver(String answer) throws Exception {
    becomeImpatient();
    answers.add(List.of(ascii(answer + "by")));
    PlainConnection connection = connections.take().orElseThrow();
    assertThatThrownBy(() -> read(connection)).isInstanceOf(SocketTimeoutException.class);
    connection.abort();
    requirePlaces(2);
  }

  /** The client's client may be slow: only waiting for the server counts. */
  @Test
  void aReaderThatTakesItsTimeIsNotStalled() throws Exception {
    becomeImpatient();
    answers.add(List.of(ascii(HEAD + "bytes")));
    PlainConnection connection = connections.take().orElseThrow();
    ask(connection);
    Thread.sleep(IMPATIENT.multipliedBy(2));
    ByteBuffer target = ByteBuffer.allocate(5);
    assertThat(connection.read(target, 5)).isEqualTo(5);
    connection.finish();
  }

  @Test
  void noMoreThanThereArePlaces() throws Exception {
    answers.add(List.of(ascii(HEAD + "bytes")));
    PlainConnection first = connections.take().orElseThrow();
    assertThat(connections.take()).isPresent();
    assertThat(connections.take()).isEmpty();
    assertThat(read(first)).isEqualTo("bytes");
    PlainConnection again = connections.take().orElseThrow();
    assertThat(again).isSameAs(first);
    assertThat(connections.take()).isEmpty();
    // A second time is of no effect.
    again.abort();
    again.abort();
    requirePlaces(1);
  }

  @Test
  void aServerThatIsAwayTakesNoPlace() throws Exception {
    server.close();
    // The port is closed when nobody accepts from it any more.
    acceptor.join();
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> connections.take()).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aNameThatLeadsNowhereIsAFailureAsAnyOther() {
    try (PlainConnections nowhere = new PlainConnections("s3.invalid", 80, PATIENT, PATIENT, 2)) {
      assertThatThrownBy(nowhere::take).isInstanceOf(IOException.class);
    }
  }

  @Test
  void closingEndsWhatIsUnderWay() throws Exception {
    PlainConnection connection = connections.take().orElseThrow();
    connections.close();
    assertThatThrownBy(() -> ask(connection)).isInstanceOf(IOException.class);
    assertThat(connections.take()).isEmpty();
  }

  private void requirePlaces(int places) throws IOException {
    for (int i = 0; i < places; i++) {
      assertThat(connections.take()).isPresent();
    }
    assertThat(connections.take()).isEmpty();
  }

  @Test
  void onlyAKeptOneIsTakenWithoutConnecting() throws Exception {
    assertThat(connections.takeKept()).isEmpty();
    assertThat(accepted).hasValue(0);
    answers.add(List.of(ascii(HEAD + "first")));
    PlainConnection first = connections.take().orElseThrow();
    assertThat(read(first)).isEqualTo("first");
    assertThat(connections.takeKept()).contains(first);
    assertThat(connections.takeKept()).isEmpty();
    first.abort();
    requirePlaces(2);
  }

  private static PlainHead ask(PlainConnection connection) throws IOException {
    connection.send(REQUEST);
    return connection.awaitHead();
  }

  private static String read(PlainConnection connection) throws IOException {
    PlainHead head = ask(connection);
    ByteBuffer target = ByteBuffer.allocate(100);
    int length;
    do {
      length = connection.read(target, 100 - target.position());
    } while (length >= 0);
    assertThat(head.bodyLength()).isEqualTo(target.position());
    connection.finish();
    return StandardCharsets.US_ASCII.decode(target.flip()).toString();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        accepted.incrementAndGet();
        Thread.ofVirtual().start(() -> answer(socket));
      }
    } catch (IOException _) {
      // The test is over.
    }
  }

  private void answer(Socket socket) {
    try (socket) {
      byte[] request = new byte[REQUEST.length];
      while (socket.getInputStream().readNBytes(request, 0, request.length) == request.length) {
        List<byte[]> pieces = answers.poll(10, TimeUnit.SECONDS);
        if (pieces == null) {
          return;
        }
        OutputStream out = socket.getOutputStream();
        for (byte[] piece : pieces) {
          if (piece.length == 0) {
            return;
          }
          out.write(piece);
          out.flush();
          Thread.sleep(1);
        }
      }
    } catch (IOException | InterruptedException _) {
      // The client has gone, or the test is over.
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}

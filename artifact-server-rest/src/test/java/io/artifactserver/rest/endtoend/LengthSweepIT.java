package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers whose lengths are where records and buffers end, as the first, second and third answer of
 * a connection: each arrives whole, and nothing of it waits for a further write. The first one may
 * come behind the session's tickets, and the third one without Jetty.
 *
 * <p>With {@code -Dsweep.all}, every length up to 70,000 bytes.
 */
@Transports(
    value = {Transport.HTTP1, Transport.H2},
    nightly = {Transport.H2C, Transport.TLS12, Transport.TLS13})
class LengthSweepIT extends EachTransport {
  private static final boolean ALL = Boolean.getBoolean("sweep.all");
  private static final int MAX_OF_ALL = 70_000;

  private static final int RECORD = 16 * 1024;
  private static final int RECORDS = 8;
  private static final int AROUND = 2;
  private static final int ANSWERS = 3;

  /** Heads, pieces, slices, segments, buffers and thresholds of the server, in bytes. */
  private static final List<Integer> BUFFERS =
      List.of(
          2 << 10, 4 << 10, 8 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20);

  /** Longer answers are tried once, and without their heads: they take most of the time. */
  private static final int LONG = 200 << 10;

  /** Of whole artifacts, in bytes: each is an upload. */
  private static final List<Integer> WHOLE =
      List.of(0, 1, 4_096, 8_191, 16_270, 16_383, 16_384, 16_385, 65_536, 131_071);

  private static final int ERRORS = 100;

  private static final byte[] CONTENT = Bytes.random(5_000_000, 93);

  /** All positions of ranges have as many digits, so that heads have one length. */
  private static final int FIRST_POSITION = 1_000_000;

  private static final int RECEIVE_BUFFER = 256 * 1024;

  /** Of an answer over HTTP/2, about, in bytes. */
  private static final int HTTP2_HEAD = 540;

  @BeforeParameterizedClassInvocation
  void put() throws Exception {
    try (Operator operator = server.operator()) {
      for (String repository : List.of("public", "encrypted")) {
        put(operator, repository, "sweep", CONTENT.length);
        for (int length : WHOLE) {
          put(operator, repository, "sweep-" + length, length);
        }
      }
    }
  }

  private static void put(Operator operator, String repository, String name, int length)
      throws Exception {
    assertThat(operator.put(repository, name, Arrays.copyOf(CONTENT, length)).statusCode())
        .isIn(200, 201);
  }

  private NavigableSet<Integer> lengths() throws IOException {
    NavigableSet<Integer> all = new TreeSet<>();
    if (ALL) {
      IntStream.rangeClosed(1, MAX_OF_ALL).forEach(all::add);
    }
    for (int records = 1; records <= RECORDS; records++) {
      around(records * RECORD, all);
      around(records * RECORD - headLength(records * RECORD), all);
    }
    for (int length : BUFFERS) {
      if (length > LONG) {
        all.addAll(List.of(length - 1, length, length + 1));
      } else {
        around(length, all);
        around(length - headLength(length), all);
      }
    }
    // Where a record has room for less than a head.
    for (int length = RECORD - headLength(RECORD); length < RECORD; length += RECORD >> 10) {
      all.add(length);
    }
    return all;
  }

  private static void around(int length, NavigableSet<Integer> all) {
    IntStream.rangeClosed(length - AROUND, length + AROUND).forEach(all::add);
  }

  /** The length of the head of an answer whose body is nearly that long, in bytes. */
  private int headLength(int length) throws IOException {
    if (transport.isHttp2()) {
      return HTTP2_HEAD;
    }
    try (RecordWire wire = RecordWire.open(server, RECEIVE_BUFFER)) {
      wire.send(request("public/sweep", FIRST_POSITION, length - 1_000));
      String answer = new String(wire.receive(), StandardCharsets.ISO_8859_1);
      return answer.indexOf("\r\n\r\n") + 4;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"public", "encrypted"})
  void rangesOfEachLength(String repository) throws IOException {
    for (int length : lengths()) {
      try (Wire wire = open()) {
        for (int i = 0; i < (length > LONG ? 1 : ANSWERS); i++) {
          int position = Math.min(FIRST_POSITION + i, CONTENT.length - length);
          wire.send(request(repository + "/sweep", position, length));
          require(wire.receive(true), 206, position, length);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"public", "encrypted"})
  void wholeArtifacts(String repository) throws IOException {
    for (int length : WHOLE) {
      try (Wire wire = open()) {
        for (int i = 0; i < ANSWERS; i++) {
          wire.send(
              "GET /artifacts/%s/sweep-%d HTTP/1.1\r\nHost: device\r\n\r\n"
                  .formatted(repository, length));
          require(wire.receive(true), 200, 0, length);
        }
      }
    }
  }

  /** The longer the name, the longer the answer. */
  @Test
  void errors() throws IOException {
    for (int length = 1; length <= ERRORS; length++) {
      try (Wire wire = open()) {
        for (int i = 0; i < ANSWERS; i++) {
          wire.send(request("public/" + "x".repeat(length), 0, length));
          Response missing = wire.receive(true);
          assertThat(missing.status()).isEqualTo(404);
          assertThat(missing.text()).startsWith("{").endsWith("}");
        }
        wire.send(request("public/sweep", CONTENT.length, length));
        assertThat(wire.receive(true).status()).isEqualTo(416);
      }
    }
  }

  private static String request(String artifact, int position, int length) {
    return "GET /artifacts/%s HTTP/1.1\r\nHost: device\r\nRange: bytes=%d-%d\r\n\r\n"
        .formatted(artifact, position, position + length - 1);
  }

  private static void require(Response answer, int status, int position, int length) {
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.field("Content-Length")).contains(Integer.toString(length));
    assertThat(
            Arrays.equals(
                answer.body(), 0, answer.body().length, CONTENT, position, position + length))
        .as("%d bytes at %d", length, position)
        .isTrue();
  }
}

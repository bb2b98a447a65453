package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks without TLS, on HTTP/1.1 and HTTP/2. */
class AttackIT extends Siege {
  private static final int PRIORITY = 2;

  /** All that strangers reach, whatever it answers them. */
  private static final List<String> OPEN_PAGES =
      List.of(
          "/",
          "/swagger-ui/",
          "/swagger-ui/swagger-ui.css",
          "/swagger-ui/swagger-ui-bundle.js",
          "/actuator/health",
          "/actuator/health/liveness",
          "/actuator/health/readiness",
          "/actuator/prometheus",
          "/v3/api-docs",
          "/api/v1/repositories",
          "/artifacts/nowhere/at/all",
          WARM,
          ENCRYPTED);

  @Override
  PackagedServer start(Path folder, String... arguments) throws Exception {
    return PackagedServer.start(folder.resolve("data"), arguments);
  }

  @Override
  Operator operator(PackagedServer server) throws Exception {
    return new Operator(server);
  }

  @Override
  Wire connect(InetAddress from) throws IOException {
    return new Wire(new Socket(InetAddress.getLoopbackAddress(), port(), from, 0));
  }

  /** It once took 33 MB to fill the heap. */
  @Test
  void dataFramesOfAByteBehindRequestsThatAreStalled() throws Exception {
    inParallel(4, i -> sendData(stalled(), 1, 30_000, "GET", WARM));
  }

  @Test
  void dataFramesOfAByteToTheControlPlane() throws Exception {
    inParallel(
        4, i -> sendData(stalled(), 1, 30_000, "PUT", "/api/v1/repositories/public/artifacts/x"));
  }

  /** A token that looks good has to be looked up, and its request waits meanwhile. */
  @Test
  void dataFramesWithTokensThatDoNotExist() throws Exception {
    inParallel(
        8,
        i ->
            sendData(
                stalled(),
                1,
                10_000,
                "PUT",
                "/api/v1/repositories/public/artifacts/x",
                "authorization: Bearer as_%08x%08x_%s".formatted(i, i, "a".repeat(43))));
  }

  /** Each of them once kept the buffer that it came in. */
  @Test
  void dataFramesOfFullLengthPinNoBuffers() throws Exception {
    inParallel(8, i -> sendData(stalled(), 16_000, 2_000, "POST", "/api/v1/repositories"));
  }

  /** What frames of a byte are to HTTP/2. */
  @ParameterizedTest
  @ValueSource(strings = {"GET " + WARM, "PUT /api/v1/repositories/public/artifacts/x"})
  void chunksOfAByte(String request) throws Exception {
    byte[] chunks = "1\r\nx\r\n".repeat(20_000).getBytes(StandardCharsets.US_ASCII);
    inParallel(
        64,
        i ->
            quietly(() -> {
              SocketChannel channel = channel(4096);
              send(
                  channel,
                  request + " HTTP/1.1\r\nHost: device\r\nTransfer-Encoding: chunked\r\n\r\n");
              channel.write(ByteBuffer.wrap(chunks));
            }));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/swagger-ui/swagger-ui-bundle.js",
        "/actuator/health",
        "/v3/api-docs",
        WARM,
        ENCRYPTED,
        "/artifacts/nowhere/at/all"
      })
  void stalledStreams(String path) throws Exception {
    inParallel(32, i -> ask(stalled(), 128, path));
    Thread.sleep(2000);
  }

  /** 4 MB of fields on each connection, whose answers nobody takes. */
  @Test
  void stalledStreamsWithManyFields() throws Exception {
    String[] fields = new String[30];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = "x-%d: %s".formatted(i, "y".repeat(1000));
    }
    inParallel(
        40,
        i -> {
          Http2Wire wire = stalled();
          try {
            for (int stream = 0; stream < 128; stream++) {
              wire.get(WARM, fields);
            }
          } catch (IOException e) {
            // What was held for it was too much.
          }
        });
    Thread.sleep(1000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/swagger-ui/swagger-ui-bundle.js", "/actuator/health", WARM, ENCRYPTED})
  void clientsThatNeverRead(String path) throws Exception {
    for (int i = 0; i < 500; i++) {
      SocketChannel channel = channel(4096);
      send(channel, "GET %s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(path).repeat(4));
    }
    Thread.sleep(2000);
  }

  /** A byte at a time, from each page that is open. */
  @Test
  void clientsThatReadSlowly() throws Exception {
    List<SocketChannel> clients = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      SocketChannel channel = channel(4096);
      String path = OPEN_PAGES.get(i % OPEN_PAGES.size());
      send(channel, "GET %s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(path).repeat(4));
      channel.configureBlocking(false);
      clients.add(channel);
    }
    for (int round = 0; round < 20; round++) {
      for (SocketChannel client : clients) {
        quietly(() -> client.read(ByteBuffer.allocate(1)));
      }
      Thread.sleep(100);
    }
  }

  @Test
  void halfHeads() throws Exception {
    for (int i = 0; i < connections(); i++) {
      SocketChannel channel = channel(0);
      try {
        send(
            channel,
            "GET %s HTTP/1.1\r\nHost: device\r\nX-Half: %s".formatted(WARM, "x".repeat(500)));
      } catch (IOException e) {
        // One that was closed to make room.
      }
    }
  }

  /** 20,000, or as many as this process may open. */
  private static int connections() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? (int) Math.min(20_000, unix.getMaxFileDescriptorCount() - 500)
        : 20_000;
  }

  @Test
  void longHalfHeads() throws Exception {
    byte[] head =
        ("GET / HTTP/1.1\r\nHost: device\r\n"
                + "X-Long: %s\r\n".formatted("x".repeat(1000)).repeat(30))
            .getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 5_000; i++) {
      SocketChannel channel = channel(0);
      try {
        channel.write(ByteBuffer.wrap(head));
      } catch (IOException e) {
        // One that was closed to make room.
      }
    }
  }

  @Test
  void fieldsWithoutNumber() throws Exception {
    inParallel(
        50,
        i -> {
          try (Wire wire = new Wire(port())) {
            wire.send(
                "GET %s HTTP/1.1\r\nHost: device\r\n%s\r\n"
                    .formatted(WARM, "a:b\r\n".repeat(6000)));
            assertThat(wire.receive(true).status()).isEqualTo(431);
          }
        });
  }

  @Test
  void cookieBombs() throws Exception {
    inParallel(
        50,
        i -> {
          try (Wire wire = new Wire(port())) {
            wire.send(
                "GET %s HTTP/1.1\r\nHost: device\r\nCookie: %s\r\n\r\n"
                    .formatted(WARM, "a=b; ".repeat(20_000)));
            assertThat(wire.receive(true).status()).isEqualTo(431);
          }
        });
  }

  /** 4 KB that are sent once, and named 3,000 times: 12 MB of fields in 7 KB. */
  @Test
  void fieldsOfTheDynamicTable() throws Exception {
    byte[] begin = Http2Wire.headerBlock("GET", WARM, List.of());
    byte[] field = Http2Wire.indexed("x", "y".repeat(4_000 - 33));
    byte[] block = Arrays.copyOf(begin, begin.length + field.length + 3_000);
    System.arraycopy(field, 0, block, begin.length, field.length);
    // RFC 7541, section 6.1: the newest entry of the dynamic table has the index 62.
    Arrays.fill(block, begin.length + field.length, block.length, (byte) (0x80 | 62));
    inParallel(
        50,
        i ->
            quietly(() -> {
              Http2Wire wire = stalled();
              for (int stream = 0; stream < 100; stream++) {
                wire.send(
                    Http2Wire.HEADERS,
                    Http2Wire.END_STREAM | Http2Wire.END_HEADERS,
                    2 * stream + 1,
                    block);
              }
            }));
  }

  @Test
  void scatteredRanges() throws Exception {
    StringBuilder ranges = new StringBuilder("bytes=0-0");
    for (int i = 1; ranges.length() < 31_000; i++) {
      ranges.append(',').append(i * 300).append('-').append(i * 300);
    }
    inParallel(
        16,
        i -> {
          for (String path : List.of(WARM, ENCRYPTED)) {
            try (Wire wire = new Wire(port())) {
              wire.send(
                  "GET %s HTTP/1.1\r\nHost: device\r\nRange: %s\r\n\r\n".formatted(path, ranges));
              assertThat(wire.receive(true).status()).isIn(206, 416);
            }
          }
        });
  }

  /** CVE-2023-44487. */
  @Test
  void rapidReset() throws Exception {
    inParallel(
        8,
        i ->
            quietly(() -> {
              Http2Wire wire = stalled();
              for (int stream = 0; stream < 20_000; stream++) {
                wire.reset(wire.get(WARM));
              }
            }));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Http2Wire.PING,
        Http2Wire.SETTINGS,
        Http2Wire.WINDOW_UPDATE,
        Http2Wire.CONTINUATION,
        PRIORITY
      })
  void controlFrames(int type) throws Exception {
    inParallel(
        8,
        i ->
            quietly(() -> {
              Http2Wire wire = stalled();
              if (type == Http2Wire.CONTINUATION) {
                wire.send(
                    Http2Wire.HEADERS,
                    0,
                    wire.nextStream(),
                    Http2Wire.headerBlock("GET", WARM, List.of()));
              }
              byte[] payload = payload(type);
              for (int frame = 0; frame < 50_000; frame++) {
                wire.send(
                    type, 0, type == Http2Wire.CONTINUATION || type == PRIORITY ? 1 : 0, payload);
              }
            }));
  }

  /** Absent paths of a public repository, of a protected one, and of none. */
  @ParameterizedTest
  @ValueSource(strings = {"public", "encrypted", "nowhere"})
  @Tag(MISSES)
  void missers(String repository) throws Exception {
    Random random = new Random(1);
    try (ClosedLoop clients =
        new ClosedLoop(
            port(),
            500,
            () ->
                "GET /artifacts/%s/%s HTTP/1.1\r\nHost: device\r\n\r\n"
                    .formatted(repository, Long.toHexString(random.nextLong())))) {
      Map<Integer, Integer> answers = clients.run(5);
      System.out.println("  answers by status: " + answers);
      assertThat(answers).isNotEmpty();
      assertThat(answers.keySet()).isSubsetOf(401, 404, 503);
    }
  }

  /** The same, on five connections of a hundred streams each. */
  @Test
  @Tag(MISSES)
  void missersOfHttp2() throws Exception {
    long end = System.nanoTime() + 5_000_000_000L;
    inParallel(
        5,
        i -> {
          try (Http2Wire wire = Http2Wire.open(port())) {
            Random random = new Random(i);
            for (int stream = 0; stream < 100; stream++) {
              wire.get("/artifacts/public/" + Long.toHexString(random.nextLong()));
            }
            while (System.nanoTime() < end) {
              Http2Wire.Frame frame = wire.receive();
              assertThat(frame.type()).isNotIn(Http2Wire.RST_STREAM, Http2Wire.GOAWAY);
              if (frame.endsStream()) {
                wire.get("/artifacts/public/" + Long.toHexString(random.nextLong()));
              }
            }
          }
        });
  }

  private static byte[] payload(int type) {
    return switch (type) {
      case Http2Wire.PING -> new byte[8];
      case Http2Wire.SETTINGS -> new byte[] {0, 4, 0, 0, 0, 0};
      case Http2Wire.WINDOW_UPDATE -> new byte[] {0, 0, 0, 1};
      case PRIORITY -> new byte[] {0, 0, 0, 3, 1};
      default -> new byte[] {0};
    };
  }

  /** A connection on which the server may send nothing; closed after the test. */
  private Http2Wire stalled() throws IOException {
    return keep(Http2Wire.open(port(), 0));
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks with frames and streams, which HTTP/1 does not have. */
@Transports(value = Transport.H2, nightly = Transport.H2C)
@InTurn(0)
class Http2AttackIT extends Siege {
  private static final int PRIORITY = 2;

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

  @ParameterizedTest
  @ValueSource(strings = {"/v3/api-docs", ENCRYPTED})
  void stalledStreams(String path) throws Exception {
    inParallel(32, i -> ask(stalled(), 128, path));
    pause(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/swagger-ui/swagger-ui-bundle.js",
        "/actuator/health",
        WARM,
        "/artifacts/nowhere/at/all"
      })
  @Nightly("Each build stalls the page and the download that take the most memory.")
  void stalledStreamsOfOthers(String path) throws Exception {
    stalledStreams(path);
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
            // The server held too much for it.
          }
        });
    pause(Duration.ofSeconds(1));
  }

  /** They end with their connections, all at once. */
  @Test
  void streamsThatEndTogetherStartNoThreads() throws Exception {
    double before = operator().metric("jvm_threads_started_threads_total");
    for (int round = 0; round < 4; round++) {
      inParallel(
          16,
          i -> {
            try (Http2Wire wire = server().openHttp2(0)) {
              ask(wire, 100, WARM);
            }
          });
    }
    // 6,400 streams; Jetty's pool may have become as large as it may.
    assertThat(operator().metric("jvm_threads_started_threads_total") - before).isLessThan(400);
  }

  /** 4 KB that are sent once, and named 3,000 times: 12 MB of fields in 7 KB. */
  @Test
  void fieldsOfTheDynamicTable() throws Exception {
    byte[] begin = HeaderBlock.of("http", "GET", WARM, List.of());
    byte[] field = HeaderBlock.indexed("x", "y".repeat(4_000 - 33));
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
                    HeaderBlock.of("http", "GET", WARM, List.of()));
              }
              byte[] payload = payload(type);
              for (int frame = 0; frame < 50_000; frame++) {
                wire.send(
                    type, 0, type == Http2Wire.CONTINUATION || type == PRIORITY ? 1 : 0, payload);
              }
            }));
  }

  /** Absent paths, on five connections of a hundred streams each. */
  @Test
  @Tag(REQUESTS)
  void missers() throws Exception {
    askOnAndOn(random -> "/artifacts/public/" + Long.toHexString(random.nextLong()));
  }

  @Override
  void downloads() throws Exception {
    askOnAndOn(_ -> WARM, "Range: bytes=0-4095");
  }

  private void askOnAndOn(Function<Random, String> paths, String... fields) throws Exception {
    long end = System.nanoTime() + 5_000_000_000L;
    inParallel(
        5,
        i -> {
          try (Http2Wire wire = server().openHttp2()) {
            Random random = new Random(i);
            for (int stream = 0; stream < 100; stream++) {
              wire.get(paths.apply(random), fields);
            }
            while (System.nanoTime() < end) {
              Http2Wire.Frame frame = wire.receive();
              assertThat(frame.type()).isNotIn(Http2Wire.RST_STREAM, Http2Wire.GOAWAY);
              if (frame.endsStream()) {
                wire.get(paths.apply(random), fields);
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
    return keep(server().openHttp2(0));
  }

  private static void ask(Http2Wire wire, int streams, String path) {
    quietly(() -> {
      for (int i = 0; i < streams; i++) {
        wire.get(path);
      }
    });
  }

  /** Sends the bodies of 64 requests, one frame of each request after the other. */
  private static void sendData(
      Http2Wire wire, int frameLength, int frames, String method, String path, String... fields) {
    quietly(() -> {
      List<Integer> streams = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        streams.add(wire.nextStream());
        wire.begin(method, path, List.of(fields));
      }
      byte[] payload = new byte[frameLength];
      for (int i = 0; i < frames; i++) {
        wire.send(Http2Wire.DATA, 0, streams.get(i % streams.size()), payload);
      }
    });
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Uploads that wait for their clients hold no thread of the system, and little memory. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(7)
class WaitingUploadsIT {
  private static final int UPLOADS = 1_000;
  private static final int PIECE = 2_000;

  /** Seconds, with a piece of each upload in each of them. */
  private static final int PIECES = Nightly.IS_NOW ? 60 : 8;

  /** Jetty's pool grows by some, and the carriers of virtual threads. */
  private static final int THREADS_OF_OURS = 150;

  /** With its connection, and half of them with a part of a segment. */
  private static final long MEMORY_OF_ONE = 64 << 10;

  @TempDir private static Path folder;

  private final byte[] content = Bytes.random(PIECES * PIECE + UPLOADS, 54);
  private PackagedServer server;
  private Operator operator;

  @BeforeAll
  void start() throws Exception {
    server =
        PackagedServer.start(
            folder.resolve("data"),
            PackagedServer.CIPHERS_COMPILED_WELL,
            // Clients may hold a part of it.
            "-Xmx1g");
    operator = new Operator(server);
    operator.createRepository("plain", true);
    operator.createEncryptedRepository("vault");
  }

  @AfterAll
  void stop() {
    operator.close();
    server.close();
  }

  @Test
  void aThousandTrickleAndOthersAreAnswered() throws Exception {
    Footprint before = Footprint.of(server, operator);
    long threads = threads();
    List<Wire> wires = new ArrayList<>();
    try {
      for (int i = 0; i < UPLOADS; i++) {
        Wire wire = new Wire(server.port());
        wires.add(wire);
        wire.send(
            "PUT %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n"
                    .formatted(api(i), server.operatorToken(), PIECES * PIECE)
                + "Upload-Complete: ?1\r\nUpload-Draft-Interop-Version: 8\r\n\r\n");
      }
      for (Wire wire : wires) {
        assertThat(wire.receive(false).status()).isEqualTo(104);
      }
      for (int piece = 0; piece < PIECES; piece++) {
        long begin = System.nanoTime();
        for (int i = 0; i < UPLOADS; i++) {
          wires.get(i).sendBytes(content, i + piece * PIECE, PIECE);
        }
        // Beside them: none of the uploads has all of its bytes, but for the last piece.
        assertThat(operator.get("/api/v1/repositories").statusCode()).isEqualTo(200);
        if (piece == PIECES / 2) {
          assertThat(operator.put("plain", "other", new byte[10]).statusCode()).isIn(200, 201);
          assertThat(threads()).isLessThan(threads + THREADS_OF_OURS);
          Footprint during = Footprint.of(server, operator);
          assertThat((during.heap() - before.heap()) / UPLOADS)
              .as("%s, and before %s", during, before)
              .isLessThan(MEMORY_OF_ONE);
        }
        long rest = 1_000 - (System.nanoTime() - begin) / 1_000_000;
        if (rest > 0) {
          pause(Duration.ofMillis(rest));
        }
      }
      for (Wire wire : wires) {
        Response answer = wire.receive(true);
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
      }
    } finally {
      for (Wire wire : wires) {
        wire.close();
      }
    }
    for (int i = 0; i < UPLOADS; i++) {
      assertThat(operator.download("/artifacts/" + repository(i) + "/trickle/" + i).body())
          .isEqualTo(Arrays.copyOfRange(content, i, i + PIECES * PIECE));
    }
    assertThat(operator.get(TusClient.PATH).body()).contains("\"uploads\":[]");
  }

  @Test
  @Nightly("RequestBodyStream's own test has the rule; this one waits for a minute.")
  void oneThatIsTooSlowEndsAndGoesOnWhereItWas() throws Exception {
    String upload;
    try (Wire wire = new Wire(server.port());
        TusClient client = new TusClient(server, server.operatorToken())) {
      upload = client.begin("plain", "slow", 1_000);
      wire.send(
          "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\n"
                  .formatted(upload, server.operatorToken())
              + "Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n"
              + "Content-Length: 1000\r\n\r\n");
      int sent = 0;
      while (!wire.isAnswered() && sent < 100) {
        wire.sendBytes(content, sent, 1);
        sent++;
        pause(Duration.ofSeconds(1));
      }
      assertThat(wire.receive(true).status()).isEqualTo(408);
      long offset = client.offset(upload);
      assertThat(offset).isBetween(50L, (long) sent);
      byte[] rest = Arrays.copyOfRange(content, (int) offset, 1_000);
      assertThat(client.patch(upload, offset, rest).statusCode()).isEqualTo(204);
    }
    assertThat(operator.download("/artifacts/plain/slow").body())
        .isEqualTo(Arrays.copyOf(content, 1_000));
  }

  private static String api(int i) {
    return "/api/v1/repositories/%s/artifacts/trickle/%d".formatted(repository(i), i);
  }

  private static String repository(int i) {
    return i % 2 == 0 ? "plain" : "vault";
  }

  private long threads() throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc", String.valueOf(server.pid()), "task"))) {
      return tasks.count();
    }
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Dead clients are cut off and slow ones are not, on all transports of a server at the same time.
 * The limits are short, and a test waits for as long as it takes: what counts is who is ended.
 */
@ParameterizedClass(name = "{0} and the others of its server")
@Transports(value = Transport.HTTP1, nightly = Transport.TLS13)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(4)
class SlowReadersIT {
  private static final int LENGTH = 40_000_000;
  private static final String LARGE = "/artifacts/public/large.bin";
  private static final String ENCRYPTED = "/artifacts/encrypted/large.bin";

  @TempDir private static Path folder;

  @Parameter private Transport transport;

  private Endpoint patient;
  private Endpoint strict;

  @BeforeParameterizedClassInvocation
  void start() throws Exception {
    patient =
        start(
            "patient",
            "--artifact-server.connections.stall-timeout=3s",
            "--artifact-server.connections.max-stall=3s");
    strict =
        start(
            "strict",
            "--artifact-server.connections.min-rate=100KB",
            "--artifact-server.connections.rate-window=4s");
  }

  @AfterParameterizedClassInvocation
  void stop() {
    patient.close();
    strict.close();
  }

  private Endpoint start(String name, String... arguments) throws Exception {
    Endpoint server = Endpoint.start(transport, folder.resolve(transport + name), arguments);
    try (Operator operator = server.operator()) {
      operator.createRepository("public", true);
      operator.createEncryptedRepository("encrypted");
      byte[] content = Bytes.random(LENGTH, 5);
      assertThat(operator.put("public", "large.bin", content).statusCode()).isEqualTo(201);
      assertThat(operator.put("encrypted", "large.bin", content).statusCode()).isEqualTo(201);
    }
    return server;
  }

  @Test
  void deadClientIsCutOff() throws Exception {
    try (Operator operator = patient.operator()) {
      double before = ended(operator, "stall");
      List<Download> downloads = downloads();
      double expected = before + downloads.size();
      inParallel(
          downloads,
          download -> {
            try (SlowReader dead = download.begin(patient)) {
              eventually("all are ended", () -> ended(operator, "stall") >= expected);
              dead.readToEnd();
              assertThat(dead.received()).isLessThan(LENGTH);
            }
          });
    }
  }

  /**
   * The server's socket asks for more when a third of its buffer is free, for which this client
   * takes longer than the time-out.
   */
  @Test
  void clientThatDrainsTheSocketSlowlyIsNotCutOff() throws Exception {
    Assumptions.assumeTrue(
        Files.isReadable(Path.of("/proc/net/tcp")),
        "The kernel does not tell how much of a socket is unconfirmed: not tested");
    inParallel(
        downloads(),
        download -> {
          try (SlowReader slow = download.begin(patient)) {
            slow.read(60_000, 12_000);
            assertThat(slow.hasEnded()).isFalse();
            slow.readTo(LENGTH);
            assertThat(slow.received()).isGreaterThanOrEqualTo(LENGTH);
          }
        });
  }

  @Test
  void clientBelowTheMinimumRateIsCutOffAndOneAboveIsNot() throws Exception {
    try (Operator operator = strict.operator()) {
      List<Download> downloads = downloads();
      double expected = ended(operator, "rate") + downloads.size();
      inParallel(
          downloads,
          download -> {
            try (SlowReader below = download.begin(strict);
                SlowReader above = download.begin(strict)) {
              // And then nothing.
              below.readTo(100_000);
              above.read(2_200_000, 15_000);
              assertThat(above.hasEnded()).as("%s", download).isFalse();
              // And later those that were above: they read no more.
              eventually("all are ended", () -> ended(operator, "rate") >= expected);
              // The bytes that the server's socket had still come.
              below.readToEnd();
              assertThat(below.received()).isLessThan(LENGTH);
            }
          });
    }
  }

  /** One artifact, by one transport; its clients have an address of their own. */
  private record Download(String path, Transport transport, InetAddress from) {
    SlowReader begin(Endpoint server) throws IOException {
      return new SlowReader(server.by(transport), path, from);
    }
  }

  private List<Download> downloads() throws IOException {
    List<Download> downloads = new ArrayList<>();
    for (String path : List.of(LARGE, ENCRYPTED)) {
      for (Transport each : transport.ofOneServer()) {
        byte[] address = {127, 0, 1, (byte) (downloads.size() + 1)};
        downloads.add(new Download(path, each, InetAddress.getByAddress(address)));
      }
    }
    return downloads;
  }

  private static void inParallel(List<Download> downloads, ThrowingConsumer<Download> test)
      throws Exception {
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> tests = new ArrayList<>();
      for (Download download : downloads) {
        tests.add(executor.submit(() -> test.accept(download)));
      }
      for (Future<?> each : tests) {
        each.get();
      }
    }
  }

  private static double ended(Operator operator, String reason) throws Exception {
    return operator.metric(
        "artifact_server_connections_ended_total", "reason=\"%s\"".formatted(reason));
  }
}

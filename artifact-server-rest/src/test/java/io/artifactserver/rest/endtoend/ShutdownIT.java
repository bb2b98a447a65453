package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/** A stop: first not ready, then answers that end their connections, then the end of what runs. */
@ParameterizedClass(name = "{0}")
@Transports(value = Transport.TLS13, nightly = Transport.HTTP1)
@InTurn(6)
class ShutdownIT {
  private static final int LENGTH = 40_000_000;
  private static final String RANGE =
      "GET /artifacts/public/large.bin HTTP/1.1\r\nHost: device\r\nRange: bytes=0-3\r\n\r\n";
  private static final String READINESS =
      "GET /actuator/health/readiness HTTP/1.1\r\nHost: balancer\r\n\r\n";

  @TempDir private Path folder;

  @Parameter private Transport transport;

  @Test
  void readinessGoesDownFirstAndRunningDownloadsFinish() throws Exception {
    try (Endpoint server = start("--artifact-server.shutdown.delay=5s");
        Operator operator = server.operator();
        InputStream events =
            operator.stream("/api/v1/progress/events?repository=public&path=large.bin");
        SlowReader running = new SlowReader(server, "/artifacts/public/large.bin");
        Wire kept = server.open();
        Wire balancer = server.open()) {
      running.readTo(100_000);
      kept.send(RANGE);
      assertThat(kept.receive(true).field("Connection")).isEmpty();
      balancer.send(READINESS);
      assertThat(balancer.receive(true).status()).isEqualTo(200);
      server.server().signal();
      awaitUnready(balancer);
      kept.send(RANGE);
      Response served = kept.receive(true);
      assertThat(served.status()).as("in the delay everything is served").isEqualTo(206);
      try (Wire late = server.open()) {
        late.send(RANGE);
        assertThat(late.receive(true).status()).isEqualTo(206);
      }
      awaitLastAnswers(server);
      kept.send(RANGE);
      Response last = kept.receive(true);
      assertThat(last.status()).isEqualTo(206);
      assertThat(last.field("Connection")).as("the client is told to go").hasValue("close");
      assertThat(kept.isClosedByServer()).isTrue();
      assertThat(operator.createRepository("late", true).statusCode())
          .as("nobody waits for the end of a change")
          .isEqualTo(503);
      // The port is open to the end: a device would use up its tries.
      for (Transport each : transport.ofOneServer()) {
        try (Wire late = server.by(each).open()) {
          late.send(RANGE);
          Response answer = late.receive(true);
          assertThat(answer.status()).as("%s", each).isEqualTo(206);
          assertThat(answer.field("Connection").isPresent()).isEqualTo(!each.isHttp2());
        }
      }
      // A listener is not waited for.
      assertThat(new String(events.readAllBytes(), StandardCharsets.UTF_8)).contains(":begin");
      running.readTo(LENGTH);
      assertThat(running.received()).isGreaterThanOrEqualTo(LENGTH);
      assertThat(server.server().process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(server.server().process().exitValue()).isEqualTo(143);
    }
  }

  @Test
  void downloadThatTakesTooLongIsCutOff() throws Exception {
    try (Endpoint server = start("--spring.lifecycle.timeout-per-shutdown-phase=2s");
        SlowReader running = new SlowReader(server, "/artifacts/public/large.bin")) {
      running.readTo(100_000);
      server.server().signal();
      assertThat(server.server().process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      running.readToEnd();
      assertThat(running.received()).isLessThan(LENGTH);
    }
  }

  @Test
  void secondSignalDoesNotWait() throws Exception {
    try (Endpoint server =
            start(
                "--spring.lifecycle.timeout-per-shutdown-phase=1h",
                "--artifact-server.shutdown.delay=30m");
        SlowReader running = new SlowReader(server, "/artifacts/public/large.bin");
        Wire balancer = server.open()) {
      running.readTo(100_000);
      server.server().signal();
      awaitUnready(balancer);
      server.server().signal();
      assertThat(server.server().process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      running.readToEnd();
      assertThat(running.received()).isLessThan(LENGTH);
    }
  }

  private Endpoint start(String... arguments) throws Exception {
    Endpoint server = Endpoint.start(transport, folder, arguments);
    try (Operator operator = server.operator()) {
      operator.createRepository("public", true);
      assertThat(operator.put("public", "large.bin", Bytes.random(LENGTH, 5)).statusCode())
          .isEqualTo(201);
    }
    return server;
  }

  private static void awaitUnready(Wire balancer) throws Exception {
    eventually(
        "readiness is down",
        () -> {
          balancer.send(READINESS);
          return balancer.receive(true).status() == 503;
        });
  }

  /**
   * Each time on a new connection: the answer that is on its way when the stop begins ends its
   * connection too, and can no longer say so.
   */
  private static void awaitLastAnswers(Endpoint server) throws Exception {
    eventually(
        "answers end their connections",
        () -> {
          try (Wire late = server.open()) {
            late.send(RANGE);
            Response answer = late.receive(true);
            assertThat(answer.status()).isEqualTo(206);
            return answer.field("Connection").filter("close"::equals).isPresent();
          }
        });
  }
}

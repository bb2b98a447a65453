package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The bearer of the weakest token fills no disk, on any transport, and loses the token at once. */
@ParameterizedClass(name = "{0} and the others of its server")
@Transports(value = Transport.TLS13, nightly = Transport.HTTP1)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(2)
class DeviceAttackIT {
  private static final int CONNECTIONS = 20;
  private static final int NAMES = 80;

  private static final int MAX_NEW = 20;

  private static final byte[] CONTENT = Bytes.random(10_000, 5);

  @TempDir private static Path folder;

  @Parameter private Transport transport;

  private Endpoint server;

  @BeforeParameterizedClassInvocation
  void start() throws Exception {
    server =
        Endpoint.start(
            transport,
            folder.resolve(transport.name()),
            "--artifact-server.progress.max-new-per-caller=" + MAX_NEW);
    try (Operator admin = server.operator()) {
      admin.createRepository("public", true);
    }
  }

  @AfterParameterizedClassInvocation
  void stop() {
    server.close();
  }

  @Test
  void refusedRequestsAddTwoEntriesAMinuteAndTheTokenIsTakenAwayAtOnce() throws Exception {
    try (Operator admin = server.operator()) {
      for (Transport each : transport.ofOneServer()) {
        JsonNode device = token(admin, "refused over " + each);
        AtomicInteger refusals = new AtomicInteger();
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Void>> attackers = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
          attackers.add(
              CompletableFuture.runAsync(
                  () -> attack(each, device.get("token").asString(), refusals, isOver)));
        }
        eventuallyPasses(
            "the attack goes on", () -> assertThat(refusals).hasValueGreaterThan(CONNECTIONS));
        for (int i = 0; i < 20; i++) {
          assertThat(admin.get("/api/v1/repositories").statusCode()).isEqualTo(200);
        }
        String id = device.get("id").asString();
        assertThat(admin.delete("/api/v1/tokens/" + id).statusCode()).isEqualTo(204);
        isOver.set(true);
        for (CompletableFuture<Void> attacker : attackers) {
          attacker.get();
        }
        assertThat(delete(each, device.get("token").asString())).isEqualTo(401);
        assertThat(
                admin
                    .get("/api/v1/audit")
                    .body()
                    .lines()
                    .filter(line -> line.contains("\"caller\":\"%s\"".formatted(id))))
            .as("%s refusals over %s", refusals, each)
            .hasSizeLessThanOrEqualTo(4)
            .allSatisfy(line -> assertThat(line).hasSizeLessThan(2_000));
      }
    }
  }

  @Test
  void inventedNamesAreBoundedADay() throws Exception {
    try (Operator admin = server.operator()) {
      assertThat(admin.put("public", "image", CONTENT).statusCode()).isIn(200, 201);
      int before = devices(admin);
      int callers = 0;
      for (Transport each : transport.ofOneServer()) {
        callers++;
        String token = token(admin, "names over " + each).get("token").asString();
        download(each, token, "first-of-" + each);
        double lost = admin.metric("artifact_server_progress_lost_total");
        for (int i = 0; i < NAMES; i++) {
          download(each, token, each + "-" + i);
        }
        eventuallyPasses(
            "most of the names are not taken down",
            () ->
                assertThat(admin.metric("artifact_server_progress_lost_total") - lost)
                    .isEqualTo(1 + NAMES - MAX_NEW));
        // Nobody else's name is.
        String other = token(admin, "other over " + each).get("token").asString();
        try (Wire wire = server.by(each).open()) {
          wire.send(
              "GET /artifacts/public/image HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n"
                  .formatted(other));
          assertThat(wire.receive(true).body()).isEqualTo(CONTENT);
        }
        eventuallyPasses(
            "the other device is taken down",
            () ->
                assertThat(admin.get("/api/v1/progress?repository=public&path=image").body())
                    .contains("other over " + each)
                    .contains("first-of-" + each));
      }
      // And the one whose token has its name.
      int expected = before + callers * (MAX_NEW + 1);
      eventuallyPasses("all are written", () -> assertThat(devices(admin)).isEqualTo(expected));
    }
  }

  private void download(Transport each, String token, String name) throws IOException {
    try (Wire wire = server.by(each).open()) {
      wire.send(
          "GET /artifacts/public/image HTTP/1.1\r\nHost: a\r\nRAUC-Serial: %s\r\nRange: bytes=0-9\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(name, token));
      assertThat(wire.receive(true).status()).isEqualTo(206);
    }
  }

  private void attack(Transport each, String token, AtomicInteger refusals, AtomicBoolean isOver) {
    try {
      while (!isOver.get() && delete(each, token) == 403) {
        refusals.incrementAndGet();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int delete(Transport each, String token) throws IOException {
    try (Wire wire = server.by(each).open()) {
      wire.send(
          "DELETE /api/v1/repositories/public/artifacts/%s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted("x".repeat(4_000), token));
      return wire.receive(true).status();
    }
  }

  private static JsonNode token(Operator admin, String name) throws Exception {
    return JsonMapper.shared()
        .readTree(admin.json("POST", "/api/v1/tokens", "{\"name\":\"%s\"}".formatted(name)).body());
  }

  private static int devices(Operator admin) throws Exception {
    return JsonMapper.shared()
        .readTree(admin.get("/api/v1/progress/summary?repository=public&path=image").body())
        .path("devices")
        .asInt(0);
  }
}

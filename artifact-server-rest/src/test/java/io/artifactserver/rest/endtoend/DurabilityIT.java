package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An acknowledged change holds: over restarts, beside a second server, without a database or a
 * disk.
 */
@InTurn(2)
class DurabilityIT {
  private static final String REPOSITORIES = "/api/v1/repositories";
  private static final String FIRMWARE = "/artifacts/public/firmware";
  private static final String SEALED = "/artifacts/vault/firmware";

  @TempDir private Path folder;

  @Test
  void aRevokedOperatorStaysRevoked() throws Exception {
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"))) {
      String token = server.operatorToken();
      try (Operator operator = new Operator(server)) {
        assertThat(operator.get(REPOSITORIES).statusCode()).isEqualTo(200);
        String id = token.split("_")[1];
        assertThat(operator.delete("/api/v1/tokens/" + id).statusCode()).isEqualTo(204);
        assertThat(operator.get(REPOSITORIES).statusCode()).isEqualTo(401);
        server.stop();
        server.restart();
        assertThat(operator.get(REPOSITORIES).statusCode()).isEqualTo(401);
        assertThat(server.log()).contains("is revoked. Delete the file and start again");
        server.stop();
        Files.delete(server.dataFolder().resolve("operator-token"));
        server.restart();
        assertThat(server.operatorToken()).isNotEqualTo(token);
        assertThat(operator.get(REPOSITORIES).statusCode()).isEqualTo(200);
      }
    }
  }

  @Test
  void aDeadDatabaseIsStartedAgainAndKnownDownloadsGoOn() throws Exception {
    byte[] firmware = Bytes.random(300_000, 1);
    // The time after which the cache asks the database is over at once.
    try (PackagedServer server =
            PackagedServer.start(
                folder.resolve("data"), "--artifact-server.catalog.cache-ttl=100ms");
        Operator operator = new Operator(server);
        Wire probe = new Wire(server.port())) {
      operator.createRepository("public", true);
      operator.createEncryptedRepository("vault");
      operator.createRepository("secret", false);
      for (String repository : new String[] {"public", "vault", "secret"}) {
        assertThat(operator.put(repository, "firmware", firmware).statusCode()).isEqualTo(201);
      }
      Device device = Device.of(operator);
      assertThat(operator.downloadAsNobody(FIRMWARE).body()).isEqualTo(firmware);
      assertThat(operator.downloadAsNobody(SEALED).body()).isEqualTo(firmware);
      assertThat(device.download(operator)).isEqualTo(200);
      requireStatus(probe, "/actuator/health/readiness", 200);
      // It cannot come back while its programs are away.
      Path programs = server.dataFolder().resolve("postgres-binaries");
      Path away = server.dataFolder().resolve("away");
      Files.move(programs, away);
      kill(postmaster(server.dataFolder()));
      eventually("readiness says so", () -> status(probe, "/actuator/health/readiness") == 503);
      for (int i = 0; i < 20; i++) {
        assertThat(operator.downloadAsNobody(FIRMWARE).body()).isEqualTo(firmware);
        assertThat(operator.downloadAsNobody(SEALED).body()).isEqualTo(firmware);
        assertThat(device.download(operator)).isEqualTo(200);
        pause(Duration.ofMillis(50));
      }
      requireRefusals(operator, firmware);
      // Nobody knows whether the database had it, so it is as good as revoked.
      requireRefusal(operator.delete("/api/v1/tokens/" + device.id));
      assertThat(device.download(operator)).isEqualTo(503);
      requireRefusal(operator.delete(REPOSITORIES + "/public/artifacts/firmware"));
      assertThat(operator.downloadAsNobody(FIRMWARE).statusCode()).isEqualTo(503);
      Files.move(away, programs);
      eventually("readiness is back", () -> status(probe, "/actuator/health/readiness") == 200);
      eventually("so is the API", () -> operator.get(REPOSITORIES).statusCode() == 200);
      // Within a second of that it has the installation's lock again.
      eventually(
          "so are uploads",
          () -> operator.put("public", "other", firmware).statusCode() / 100 == 2);
      for (String job : new String[] {"sweep", "rewrap", "encrypt", "derive"}) {
        eventually(
            job + " was done",
            () ->
                operator
                    .get("/actuator/prometheus")
                    .body()
                    .contains(
                        "artifact_server_job_last_success_seconds{job=\"%s\"} ".formatted(job)));
      }
    }
  }

  /** The control plane refuses everything, and the data plane what it does not know. */
  private static void requireRefusals(Operator operator, byte[] firmware) throws Exception {
    requireRefusal(operator.get(REPOSITORIES));
    requireRefusal(operator.get(REPOSITORIES + "/public/artifacts"));
    requireRefusal(operator.get("/api/v1/tokens"));
    requireRefusal(operator.createRepository("new", true));
    requireRefusal(operator.json("POST", "/api/v1/tokens", "{\"name\": \"new\"}"));
    requireRefusal(operator.put("public", "new", firmware));
    requireRefusal(operator.put("public", "firmware", firmware, "If-None-Match", "*"));
    requireRefusal(operator.get("/artifacts/public/unknown"));
  }

  private static void requireRefusal(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as("%s: %s", answer.uri(), answer.body()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(answer.body()).contains("\"status\":503");
  }

  /** One that may download everything. */
  private record Device(String id, String token) {
    static Device of(Operator operator) throws IOException, InterruptedException {
      JsonNode token =
          JsonMapper.shared()
              .readTree(operator.json("POST", "/api/v1/tokens", "{\"name\": \"device\"}").body());
      return new Device(token.get("id").asString(), token.get("token").asString());
    }

    int download(Operator operator) throws IOException, InterruptedException {
      return operator
          .downloadAsDevice("/artifacts/secret/firmware", "Bearer " + token)
          .statusCode();
    }
  }

  /** The cache does not know what another process did to the database. */
  @Test
  void anUploadIsAnsweredAsTheDatabaseIs() throws Exception {
    byte[] firmware = Bytes.random(300_000, 1);
    byte[] other = Bytes.random(300_000, 2);
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"));
        Operator operator = new Operator(server)) {
      operator.createRepository("public", true);
      for (String name : new String[] {"same", "other", "condition"}) {
        assertThat(operator.put("public", name, firmware).statusCode()).isEqualTo(201);
        assertThat(operator.downloadAsNobody("/artifacts/public/" + name).body())
            .isEqualTo(firmware);
      }
      try (Connection connection = connect(server.dataFolder(), "artifact_server");
          Statement statement = connection.createStatement()) {
        assertThat(statement.executeUpdate("delete from artifact")).isEqualTo(3);
        assertThat(statement.executeUpdate("delete from blob")).isEqualTo(1);
      }
      assertThat(operator.downloadAsNobody("/artifacts/public/same").statusCode())
          .as("the cache remembers it")
          .isEqualTo(200);
      assertThat(operator.put("public", "same", firmware).statusCode()).isEqualTo(201);
      assertThat(operator.put("public", "other", other).statusCode()).isEqualTo(201);
      assertThat(operator.put("public", "condition", firmware, "If-None-Match", "*").statusCode())
          .isEqualTo(201);
      server.stop();
      server.restart();
      for (String name : new String[] {"same", "other", "condition"}) {
        assertThat(operator.downloadAsNobody("/artifacts/public/" + name).body())
            .isEqualTo(name.equals("other") ? other : firmware);
      }
    }
  }

  /** On one database, each with a folder of its own. */
  @Test
  @Nightly("TwoServersIT's second one waits and takes over, in the middle of uploads.")
  void aSecondServerWaitsForTheFirst() throws Exception {
    try (PackagedServer database = PackagedServer.start(folder.resolve("database"))) {
      String[] settings = newDatabase(database.dataFolder(), "second");
      try (PackagedServer first = PackagedServer.start(folder.resolve("first"), settings);
          PackagedServer second =
              PackagedServer.startWithoutWaiting(folder.resolve("second"), settings)) {
        eventually("it says so", () -> second.log().contains("Waiting: artifact-server, process "));
        assertThat(second.log()).contains("process " + first.pid());
        // A waiting server stops at once.
        second.stop();
        try (PackagedServer third =
            PackagedServer.startWithoutWaiting(folder.resolve("third"), settings)) {
          eventually("it waits", () -> third.log().contains("Waiting: "));
          assertThat(third.log()).doesNotContain("Listening on");
          first.kill();
          third.awaitHealthy();
        }
      }
    }
  }

  @Test
  void onAFullDiskThereIsRoomForADeletionAndARestart() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    if (run("mount", "-t", "tmpfs", "-o", "size=700m", "tmpfs", disk.toString()) != 0) {
      abort("SKIPPED: a full disk was not tried, because this user may not mount a tmpfs");
    }
    try {
      byte[] firmware = Bytes.random(20_000_000, 2);
      try (PackagedServer server = PackagedServer.start(disk.resolve("data"));
          Operator operator = new Operator(server)) {
        Path reserve = server.dataFolder().resolve("reserve");
        eventually("the reserve is there", () -> Files.exists(reserve));
        operator.createRepository("public", true);
        fill(disk.resolve("early"), 150_000_000);
        int stored = 0;
        int status = 201;
        while (status == 201) {
          byte[] other = firmware.clone();
          other[0] = (byte) stored;
          status = operator.put("public", "firmware-" + stored, other).statusCode();
          stored += status == 201 ? 1 : 0;
        }
        assertThat(status).isEqualTo(507);
        assertThat(stored).isPositive();
        assertThat(Files.exists(reserve)).as("uploads leave it alone").isTrue();
        // Not what the reserve leaves when it is given up, while this goes on.
        fill(disk.resolve("others"), Files.getFileStore(disk).getUsableSpace());
        eventually("it is given up", () -> !Files.exists(reserve));
        // There is room for a segment of PostgreSQL's log (16 MB) and not for an upload.
        fill(disk.resolve("more"), 10_000_000);
        assertThat(operator.put("public", "one-more", firmware).statusCode()).isEqualTo(507);
        server.stop();
        server.restart();
        assertThat(operator.delete("/api/v1/repositories/public/artifacts/firmware-0").statusCode())
            .isEqualTo(204);
        byte[] last = firmware.clone();
        last[0] = (byte) (stored - 1);
        assertThat(operator.downloadAsNobody("/artifacts/public/firmware-" + (stored - 1)).body())
            .isEqualTo(last);
        Files.delete(disk.resolve("early"));
        Files.delete(disk.resolve("others"));
        Files.delete(disk.resolve("more"));
        eventually("there is room again", () -> Files.exists(reserve));
        requireHealthTells(operator, "accepted");
      }
    } finally {
      assertThat(run("umount", disk.toString())).isZero();
    }
  }

  /** The disk has the blobs only: nothing needs room but them. */
  @Test
  @Nightly("The test before has the full disk; here its own database is elsewhere.")
  void onAFullDiskADatabaseElsewhereIsEnoughForADeletionAndARestart() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    if (run("mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", disk.toString()) != 0) {
      abort("SKIPPED: a full disk was not tried, because this user may not mount a tmpfs");
    }
    try (PackagedServer database = PackagedServer.start(folder.resolve("database"))) {
      byte[] firmware = Bytes.random(20_000_000, 2);
      try (PackagedServer server =
              PackagedServer.start(
                  disk.resolve("data"), newDatabase(database.dataFolder(), "elsewhere"));
          Operator operator = new Operator(server)) {
        operator.createRepository("public", true);
        assertThat(operator.put("public", "kept", firmware).statusCode()).isEqualTo(201);
        assertThat(operator.put("public", "deleted", Bytes.random(1000, 3)).statusCode())
            .isEqualTo(201);
        fill(disk.resolve("others"));
        assertThat(operator.put("public", "one-more", Bytes.random(1_000_000, 4)).statusCode())
            .isEqualTo(507);
        assertThat(operator.downloadAsNobody("/artifacts/public/kept").body()).isEqualTo(firmware);
        requireHealthTells(operator, "refused: there is no room for them");
        server.stop();
        server.restart();
        assertThat(operator.delete("/api/v1/repositories/public/artifacts/deleted").statusCode())
            .isEqualTo(204);
        assertThat(operator.downloadAsNobody("/artifacts/public/kept").body()).isEqualTo(firmware);
        Files.delete(disk.resolve("others"));
        assertThat(operator.put("public", "one-more", Bytes.random(1_000_000, 4)).statusCode())
            .isEqualTo(201);
      }
    } finally {
      assertThat(run("umount", disk.toString())).isZero();
    }
  }

  /** An orchestrator that restarts the server would only take downloads away. */
  private static void requireHealthTells(Operator operator, String uploads) throws Exception {
    HttpResponse<String> health = operator.get("/actuator/health");
    assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
    assertThat(health.body()).contains("\"uploads\":\"" + uploads + '"');
  }

  private static void fill(Path file) throws IOException {
    fill(file, Long.MAX_VALUE);
  }

  /** With so many bytes, or as many as the disk takes. */
  private static void fill(Path file, long most) throws IOException {
    byte[] block = new byte[1 << 16];
    Arrays.fill(block, (byte) 1);
    try (var out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
      for (long written = 0; written < most; written += block.length) {
        out.write(block);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left on device");
    }
  }

  /** Settings of a server on a database of its own, in the cluster of another server's folder. */
  static String[] newDatabase(Path dataFolder, String name) throws Exception {
    try (Connection connection = connect(dataFolder, "artifact_server");
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    }
    return new String[] {
      "--artifact-server.database.url=" + address(dataFolder, name),
      "--artifact-server.database.username=artifact_server",
      "--artifact-server.database.password=" + password(dataFolder)
    };
  }

  /** The caller closes it. */
  static Connection connect(Path dataFolder, String database) throws Exception {
    return DriverManager.getConnection(
        address(dataFolder, database), "artifact_server", password(dataFolder));
  }

  private static String address(Path dataFolder, String database) throws IOException {
    String port = Files.readAllLines(dataFolder.resolve("postgres/postmaster.pid")).get(3);
    return "jdbc:postgresql://127.0.0.1:%s/%s".formatted(port, database);
  }

  private static String password(Path dataFolder) throws IOException {
    return Files.readString(dataFolder.resolve("postgres-secret")).strip();
  }

  static long postmaster(Path dataFolder) throws IOException {
    return Long.parseLong(
        Files.readAllLines(dataFolder.resolve("postgres/postmaster.pid")).getFirst().strip());
  }

  static void kill(long pid) {
    assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
  }

  private static void requireStatus(Wire wire, String path, int status) throws IOException {
    assertThat(status(wire, path)).isEqualTo(status);
  }

  private static int status(Wire wire, String path) throws IOException {
    wire.send("GET %s HTTP/1.1\r\nHost: probe\r\n\r\n".formatted(path));
    Response response = wire.receive(true);
    return response.status();
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }
}

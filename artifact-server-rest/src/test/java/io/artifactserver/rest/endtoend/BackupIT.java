package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The backups of docs/operations.md, as printed: what is lost comes back. */
@InTurn(7)
class BackupIT {
  private static final Path PAGE = Path.of("..", "docs", "operations.md");

  private static final byte[] FIRMWARE = Bytes.random(1_500_000, 1);

  @TempDir private Path folder;

  @Test
  void whatWasBackedUpIsServedAfterTheFolderWasLost() throws Exception {
    try (PackagedServer server =
            PackagedServer.start(data(), "--artifact-server.derive.enabled=true");
        Operator operator = new Operator(server)) {
      Revoked revoked = fill(operator);
      String index = "/artifacts/vault/firmware.caibx";
      eventually("it has all forms", () -> !forms(operator).contains("waiting"));
      byte[] before = operator.download(index).body();
      String forms = forms(operator);
      assertThat(forms).contains("caibx", "zsync", "created");
      server.stop();
      run("embedded backup", Map.of());
      Files.move(data(), folder.resolve("lost"));
      run("embedded restore", Map.of());
      server.restart();
      requireFilled(operator, revoked);
      assertThat(operator.download(index).body()).isEqualTo(before);
      assertThat(forms(operator)).as("not computed again").isEqualTo(forms);
    }
  }

  /** The forms in the API's answer, with the time when each was computed. */
  private static String forms(Operator operator) throws IOException, InterruptedException {
    String address = "/api/v1/repositories/vault/artifacts/firmware";
    return JsonMapper.shared().readTree(operator.get(address).body()).get("forms").toString();
  }

  /** The backup is made while the server runs; folder and database are lost. */
  @Test
  @Nightly("The test before has the backup; here the database is elsewhere.")
  void withADatabaseOfOnesOwnBothComeBack() throws Exception {
    Programs.assumeInstalled("pg_dump", "pg_restore", "rsync");
    try (InstalledPostgres postgres = InstalledPostgres.start()) {
      Map<String, String> places =
          Map.of(
              "BACKUP", folder.resolve("backup").toString(),
              "KEYS", folder.resolve("keys").toString());
      Revoked revoked;
      try (PackagedServer server = PackagedServer.start(data(), postgres.settings("before"));
          Operator operator = new Operator(server)) {
        revoked = fill(operator);
        run("own database backup", places, postgres.uri("before"));
        assertThat(operator.put("plain", "later", Bytes.random(1000, 3)).statusCode())
            .isEqualTo(201);
      }
      Files.move(data(), folder.resolve("lost"));
      postgres.create("after");
      run("own database restore", places, postgres.uri("after"));
      try (PackagedServer server = PackagedServer.start(data(), postgres.settings("after"));
          Operator operator = new Operator(server)) {
        requireFilled(operator, revoked);
        requireNothingLater(operator);
      }
    }
  }

  /** The backup is made while the stack runs; its volumes are lost. */
  @Test
  void theComposeStackComesBack() throws Exception {
    try (ComposeStack stack = ComposeStack.prepare(folder.resolve("stack"));
        Operator operator = new Operator(stack)) {
      stack.start();
      Revoked revoked = fill(operator);
      run("compose backup", stack.environment());
      assertThat(operator.put("plain", "later", Bytes.random(1000, 3)).statusCode()).isEqualTo(201);
      stack.destroy();
      run("compose restore", stack.environment());
      stack.awaitHealthy();
      requireFilled(operator, revoked);
      requireNothingLater(operator);
    }
  }

  private record Revoked(String id, String token) {}

  /** Returns a token of an operator that was revoked. */
  private static Revoked fill(Operator operator) throws IOException, InterruptedException {
    operator.createRepository("plain", true);
    operator.createEncryptedRepository("vault");
    assertThat(operator.put("plain", "firmware", FIRMWARE).statusCode()).isEqualTo(201);
    assertThat(operator.put("vault", "firmware", FIRMWARE).statusCode()).isEqualTo(201);
    JsonNode token =
        JsonMapper.shared()
            .readTree(
                operator
                    .json("POST", "/api/v1/tokens", "{\"name\": \"old\", \"role\": \"admin\"}")
                    .body());
    Revoked revoked = new Revoked(token.get("id").asString(), token.get("token").asString());
    assertThat(status(operator, revoked)).isEqualTo(200);
    assertThat(operator.delete("/api/v1/tokens/" + revoked.id).statusCode()).isEqualTo(204);
    return revoked;
  }

  private static int status(Operator operator, Revoked token)
      throws IOException, InterruptedException {
    return operator.downloadAsDevice("/api/v1/tokens", "Bearer " + token.token).statusCode();
  }

  private static void requireFilled(Operator operator, Revoked revoked)
      throws IOException, InterruptedException {
    for (String repository : new String[] {"plain", "vault"}) {
      assertThat(operator.downloadAsNobody("/artifacts/" + repository + "/firmware").body())
          .isEqualTo(FIRMWARE);
    }
    assertThat(operator.put("vault", "other", Bytes.random(1000, 2)).statusCode()).isEqualTo(201);
    assertThat(operator.get("/api/v1/tokens").body()).doesNotContain(revoked.id);
    assertThat(status(operator, revoked)).isEqualTo(401);
  }

  private static void requireNothingLater(Operator operator)
      throws IOException, InterruptedException {
    assertThat(operator.downloadAsNobody("/artifacts/plain/later").statusCode())
        .as("uploaded after the backup")
        .isEqualTo(404);
  }

  private Path data() {
    return folder.resolve("data");
  }

  private void run(String name, Map<String, String> places, String database)
      throws IOException, InterruptedException {
    Map<String, String> all = new HashMap<>(places);
    all.put("DATABASE", database);
    run(name, all);
  }

  /** The command of the page between two markers, as a reader would run it. */
  private void run(String name, Map<String, String> places)
      throws IOException, InterruptedException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf("<!-- %s: begin -->".formatted(name));
    int end = page.indexOf("<!-- %s: end -->".formatted(name));
    assertThat(begin).as("%s in %s", name, PAGE).isPositive();
    String block = page.substring(begin, end);
    String command =
        block.substring(block.indexOf("```bash") + "```bash".length(), block.lastIndexOf("```"));
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-euo", "pipefail", "-c", command)
            .directory(folder.toFile())
            .inheritIO();
    builder.environment().put("DATA", data().toString());
    builder.environment().putAll(places);
    assertThat(builder.start().waitFor()).as(command).isZero();
  }
}

package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.api.audit.AuditCommand;
import io.artifactserver.rest.command.Commands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The audit of a running server, and every way to bend it. */
class AuditIT {
  private static PackagedServer server;
  @TempDir private Path folder;

  private final StringWriter output = new StringWriter();
  private final StringWriter errors = new StringWriter();

  /** Its audit has nothing of other tests, and their refusals do not take the place of these. */
  @BeforeAll
  static void start(@TempDir Path data) throws Exception {
    server = PackagedServer.start(data.resolve("data"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void changesAndRefusedChangesAreInItAndSecretsAreNot() throws Exception {
    try (Operator operator = new Operator(server)) {
      int before = lines(operator).size();
      HttpResponse<String> made =
          operator.json(
              "POST",
              "/api/v1/tokens",
              "{\"name\":\"audited\",\"role\":\"reader\"}",
              "X-Forwarded-For",
              "203.0.113.7");
      JsonNode token = JsonMapper.shared().readTree(made.body());
      String secret = token.get("token").asString();
      operator.json("POST", "/api/v1/tokens", "{\"name\":\"x\",\"role\":\"nonsense\"}");
      assertThat(operator.downloadAsDevice("/api/v1/repositories", "Bearer " + secret).statusCode())
          .isEqualTo(200);
      operator.delete("/api/v1/tokens/" + token.get("id").asString());
      List<String> lines = lines(operator);
      List<String> mine = lines.subList(before, lines.size());
      assertThat(mine).hasSize(3);
      JsonNode created = JsonMapper.shared().readTree(mine.getFirst()).get("event");
      assertThat(created.get("method").asString()).isEqualTo("POST");
      assertThat(created.get("path").asString()).isEqualTo("/api/v1/tokens");
      assertThat(created.get("status").asInt()).isEqualTo(201);
      assertThat(created.get("outcome").asString()).isEqualTo("changed");
      assertThat(created.get("role").asString()).isEqualTo("admin");
      assertThat(created.get("address").asString()).isEqualTo("127.0.0.1");
      assertThat(created.get("after").get("name").asString()).isEqualTo("audited");
      assertThat(created.get("request").asString())
          .isEqualTo(made.headers().firstValue("X-Request-Id").orElseThrow());
      assertThat(JsonMapper.shared().readTree(mine.get(1)).get("event").get("outcome").asString())
          .isEqualTo("refused");
      assertThat(mine.get(2)).contains("\"before\"").contains("audited");
      assertThat(String.join("\n", lines))
          .doesNotContain(secret.substring(20))
          .doesNotContain(server.operatorToken().substring(20))
          .doesNotContain("as-signature");
      assertThat(
              verify(
                  "--server=" + server.uri(""),
                  "--artifact-server.data-dir=" + server.dataFolder()))
          .isZero();
      assertThat(output.toString()).startsWith(lines.size() + " entries, unbroken.");
      String last = JsonMapper.shared().readTree(lines.getLast()).get("digest").asString();
      assertThat(verifyLines(lines, "--kept=" + last)).isZero();
      assertThat(verifyLines(lines.subList(0, lines.size() - 1), "--kept=" + last)).isEqualTo(1);
    }
  }

  /** Each would be an entry of 4 KB: 668 GB a day. */
  @Test
  void refusalsOfADeviceAreCounted() throws Exception {
    try (PackagedServer own = PackagedServer.start(folder.resolve("data"));
        Operator operator = new Operator(own)) {
      String token = token(operator, "device");
      int before = lines(operator).size();
      String path = "/api/v1/repositories/public/artifacts/" + "x".repeat(4_000);
      for (int i = 0; i < 50; i++) {
        assertThat(refused(own, token, "DELETE", path)).isEqualTo(403);
      }
      List<String> lines = lines(operator);
      assertThat(lines.subList(before, lines.size())).hasSize(1);
      assertThat(lines.getLast()).hasSizeLessThan(2_000);
      own.stop();
      own.restart();
      lines = lines(operator);
      assertThat(lines.subList(before, lines.size())).hasSize(2);
      JsonNode event = JsonMapper.shared().readTree(lines.getLast()).get("event");
      assertThat(event.get("more").asInt()).isEqualTo(49);
      assertThat(event.get("path").asString()).hasSize(256);
      assertThat(verifyLines(lines)).isZero();
    }
  }

  /** Descriptions of 60 KB: together they would fill the heap of a small machine. */
  @Test
  void aLongAuditComesInParts() throws Exception {
    try (PackagedServer own = PackagedServer.start(folder.resolve("long"));
        Operator operator = new Operator(own)) {
      String paths =
          IntStream.range(0, 60)
              .mapToObj(i -> '"' + Integer.toString(i) + "x".repeat(900) + '"')
              .collect(Collectors.joining(","));
      for (int i = 0; i < 120; i++) {
        String token = "{\"name\":\"t%d\",\"role\":\"reader\",\"paths\":[%s]}".formatted(i, paths);
        assertThat(operator.json("POST", "/api/v1/tokens", token).statusCode()).isEqualTo(201);
      }
      List<String> lines = new ArrayList<>();
      int parts = 0;
      for (List<String> part = lines(operator, 0);
          !part.isEmpty();
          part = lines(operator, lines.size())) {
        lines.addAll(part);
        parts++;
        assertThat(part).hasSizeLessThan(80);
      }
      assertThat(parts).isGreaterThan(1);
      assertThat(lines).hasSizeGreaterThanOrEqualTo(120);
      assertThat(verifyLines(lines)).isZero();
    }
  }

  @Test
  void aPublisherHasItsShareOfADaysChanges() throws Exception {
    try (PackagedServer own =
            PackagedServer.start(
                folder.resolve("changes"), "--artifact-server.audit.max-changes-per-caller=2");
        Operator operator = new Operator(own);
        HttpClient client = HttpClient.newHttpClient()) {
      operator.createRepository("public", true);
      String token = token(operator, "publisher");
      List<HttpResponse<String>> answers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        URI uri = own.uri("/api/v1/repositories/public/artifacts/" + i);
        answers.add(
            client.send(
                HttpRequest.newBuilder(uri)
                    .header("Authorization", "Bearer " + token)
                    .PUT(HttpRequest.BodyPublishers.ofString("image"))
                    .build(),
                HttpResponse.BodyHandlers.ofString()));
      }
      assertThat(answers).extracting(HttpResponse::statusCode).containsExactly(201, 201, 429);
      assertThat(answers.getLast().body()).contains("max-changes-per-caller");
      assertThat(answers.getLast().headers().firstValueAsLong("Retry-After").orElseThrow())
          .isBetween(1L, 24L * 60 * 60 + 1);
      assertThat(operator.put("public", "3", new byte[] {1}).statusCode()).isEqualTo(201);
    }
  }

  private static int refused(PackagedServer asked, String token, String method, String path)
      throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(asked.uri(path))
                  .header("Authorization", "Bearer " + token)
                  .method(method, HttpRequest.BodyPublishers.noBody())
                  .build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  private static String token(Operator operator, String role) throws Exception {
    String body = "{\"name\":\"a\",\"role\":\"%s\"}".formatted(role);
    return JsonMapper.shared()
        .readTree(operator.json("POST", "/api/v1/tokens", body).body())
        .get("token")
        .asString();
  }

  @Test
  void whatIsBentIsFound() throws Exception {
    try (Operator operator = new Operator(server)) {
      for (int i = 0; i < 3; i++) {
        // Each needs a new caller, or only the first would be written.
        assertThat(refused(server, token(operator, "reader"), "POST", "/api/v1/repositories"))
            .isEqualTo(403);
      }
      List<String> lines = lines(operator);
      assertThat(verifyLines(lines)).isZero();
      int middle = lines.size() - 3;
      List<String> changed = new ArrayList<>(lines);
      changed.set(middle, changed.get(middle).replace("signed\":\"{", "signed\":\"{ "));
      assertThat(verifyLines(changed)).isEqualTo(1);
      assertThat(errors.toString()).contains("Entry " + (middle + 1) + " was changed");
      for (String[] bent :
          new String[][] {
            {"\"event\":{", "\"event\":{\"extra\":1,"},
            {"\"refused\",", "\"changed\","},
            {"\"event\":{", "\"event\":{},\"event\":{"},
            {"{\"id\":", "{\"note\":\"approved\",\"id\":"},
            {"\"at\":\"2", "\"at\":\"1"},
            {"\"signed\":", "\"event\":{\"name\":\"nobody\"},\"signed\":"},
          }) {
        List<String> readable = new ArrayList<>(lines);
        String line = readable.get(middle).replaceFirst(Pattern.quote(bent[0]), bent[1]);
        assertThat(line).isNotEqualTo(readable.get(middle));
        readable.set(middle, line);
        assertThat(verifyLines(readable)).as(line).isEqualTo(1);
      }
      List<String> removed = new ArrayList<>(lines);
      removed.remove(middle);
      assertThat(verifyLines(removed)).isEqualTo(1);
      assertThat(verifyLines(lines.subList(1, lines.size()))).isEqualTo(1);
      List<String> swapped = new ArrayList<>(lines);
      swapped.set(middle, lines.get(middle - 1));
      swapped.set(middle - 1, lines.get(middle));
      assertThat(verifyLines(swapped)).isEqualTo(1);
      assertThat(verifyLines(List.of("{}"))).isEqualTo(1);
      assertThat(verifyLines(List.of("nonsense"))).isEqualTo(1);
    }
  }

  private static List<String> lines(Operator operator) throws Exception {
    return lines(operator, 0);
  }

  private static List<String> lines(Operator operator, int after) throws Exception {
    HttpResponse<String> answer = operator.get("/api/v1/audit?after=" + after);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body().lines().toList();
  }

  private int verifyLines(List<String> lines, String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of(options));
    all.add("--file=" + Files.write(folder.resolve("audit.jsonl"), lines));
    return verify(all.toArray(String[]::new));
  }

  private int verify(String... options) {
    output.getBuffer().setLength(0);
    errors.getBuffer().setLength(0);
    List<String> arguments = new ArrayList<>(List.of("verify"));
    arguments.addAll(List.of(options));
    return Commands.line(new AuditCommand(), Map.of())
        .setOut(new PrintWriter(output, true))
        .setErr(new PrintWriter(errors, true))
        .execute(arguments.toArray(String[]::new));
  }
}

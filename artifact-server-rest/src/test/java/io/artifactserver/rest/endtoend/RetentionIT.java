package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Rules delete old releases once somebody has seen which, and a deletion is taken back. */
class RetentionIT {
  private static final String REPOSITORY = "/api/v1/repositories/aging";
  private static final String RULES = "{\"rules\": [{\"folder\": \"board\", \"newest\": 1}]}";
  private static final byte[] BYTES = Bytes.random(10_000, 321);

  @TempDir private Path folder;

  @Test
  void rulesDeleteOldReleasesAndHoldsWin() throws Exception {
    try (PackagedServer server =
            PackagedServer.start(
                folder.resolve("data"), "--artifact-server.retire.retention-interval=100ms");
        Operator operator = new Operator(server)) {
      operator.createRepository("aging", true);
      for (String path : List.of("board/1.0/fw", "board/1.0/notes", "board/1.1/fw", "other/fw")) {
        assertThat(operator.put("aging", path, BYTES, "Content-Type", "a/b").statusCode())
            .isEqualTo(201);
      }
      operator.json(
          "PUT",
          REPOSITORY + "/artifacts/board/1.0/notes/hold",
          "{\"until\": \"%s\", \"reason\": \"x\"}".formatted(Instant.now().plusSeconds(3_600)));

      assertThat(operator.json("PUT", REPOSITORY + "/retention", RULES).body())
          .contains("\"active\":false", "board");
      JsonNode preview = json(operator.get(REPOSITORY + "/retention/preview"));
      assertThat(preview.get("count").asInt()).isEqualTo(1);
      assertThat(preview.get("held").asInt()).isEqualTo(1);
      assertThat(preview.at("/artifacts/0/path").asString()).isEqualTo("board/1.0/fw");
      assertThat(activate(operator, "0".repeat(32)).statusCode()).isEqualTo(409);
      assertThat(activate(operator, "").statusCode()).isEqualTo(400);
      assertThat(operator.get(REPOSITORY + "/artifacts/board/1.0/fw").statusCode()).isEqualTo(200);

      String revision = preview.get("revision").asString();
      assertThat(activate(operator, revision).body()).contains("\"active\":true");
      eventually(
          "it is deleted",
          () -> operator.get(REPOSITORY + "/artifacts/board/1.0/fw").statusCode() == 410);
      eventually(
          "the audit has it",
          () -> operator.get("/api/v1/audit").body().contains("\"job\":\"retention\""));
      assertThat(operator.get("/api/v1/audit").body()).contains("\"caller\":\"server\"");
      for (String path : List.of("board/1.0/notes", "board/1.1/fw", "other/fw")) {
        assertThat(operator.get(REPOSITORY + "/artifacts/" + path).statusCode())
            .as(path)
            .isEqualTo(200);
      }

      assertThat(operator.json("PUT", REPOSITORY + "/retention", "{\"rules\": []}").statusCode())
          .isEqualTo(200);
      String undelete = REPOSITORY + "/artifacts/board/1.0/fw/undelete";
      requireNotFor(server, operator, undelete);
      HttpResponse<String> back = operator.json("POST", undelete, "");
      assertThat(back.statusCode()).isEqualTo(201);
      assertThat(json(back).get("mediaType").asString()).isEqualTo("a/b");
      assertThat(operator.downloadAsNobody("/artifacts/aging/board/1.0/fw").body())
          .isEqualTo(BYTES);
      assertThat(operator.json("POST", undelete, "").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void wrongRulesAreRefused() throws Exception {
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"));
        Operator operator = new Operator(server)) {
      operator.createRepository("aging", true);
      for (String rules :
          List.of(
              "{}",
              "{\"rules\": [null]}",
              "{\"rules\": [{}]}",
              "{\"rules\": [{\"newest\": 0}]}",
              "{\"rules\": [{\"days\": -1}]}",
              "{\"rules\": [{\"folder\": \"/\", \"newest\": 1}]}",
              "{\"rules\": [{\"folder\": \"a\", \"newest\": 1}, {\"newest\": 1}]}")) {
        assertThat(operator.json("PUT", REPOSITORY + "/retention", rules).statusCode())
            .as(rules)
            .isEqualTo(400);
      }
      assertThat(operator.json("PUT", "/api/v1/repositories/none/retention", RULES).statusCode())
          .isEqualTo(404);
      assertThat(operator.get("/api/v1/repositories/none/retention/preview").statusCode())
          .isEqualTo(404);
    }
  }

  private static HttpResponse<String> activate(Operator operator, String revision)
      throws IOException, InterruptedException {
    return operator.json(
        "POST", REPOSITORY + "/retention/activation", "{\"revision\": \"%s\"}".formatted(revision));
  }

  /** Neither readers, nor a publisher whose scope is the address and not the artifact. */
  private static void requireNotFor(PackagedServer server, Operator operator, String undelete)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (String token :
          List.of(
              "{\"name\":\"x\",\"role\":\"reader\"}",
              "{\"name\":\"x\",\"role\":\"publisher\",\"paths\":[\"board/1.1\"]}",
              "{\"name\":\"x\",\"role\":\"publisher\",\"paths\":[\"board/1.0/fw/undelete\"]}")) {
        String secret =
            json(operator.json("POST", "/api/v1/tokens", token)).get("token").asString();
        HttpRequest request =
            HttpRequest.newBuilder(server.uri(undelete))
                .header("Authorization", "Bearer " + secret)
                .POST(BodyPublishers.noBody())
                .build();
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
            .as(token)
            .isEqualTo(403);
      }
    }
  }

  private static JsonNode json(HttpResponse<String> response) {
    return JsonMapper.shared().readTree(response.body());
  }
}

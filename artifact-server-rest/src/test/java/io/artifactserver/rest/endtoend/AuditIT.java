package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.audit.AuditCommand;
import io.artifactserver.rest.command.Commands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The audit of a running server, and every way to bend it. */
@ExtendWith(SharedServer.class)
class AuditIT {
  @TempDir private Path folder;

  private final StringWriter output = new StringWriter();
  private final StringWriter errors = new StringWriter();

  @Test
  void changesAndRefusedChangesAreInItAndSecretsAreNot(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      int before = lines(operator).size();
      HttpResponse<String> made =
          operator.json("POST", "/api/v1/tokens", "{\"name\":\"audited\",\"role\":\"reader\"}");
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
    }
  }

  @Test
  void whatIsBentIsFound(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      for (int i = 0; i < 3; i++) {
        operator.json("POST", "/api/v1/repositories", "{\"name\":\"!\"}");
      }
      List<String> lines = lines(operator);
      assertThat(verifyLines(lines)).isZero();
      int middle = lines.size() / 2;
      List<String> changed = new ArrayList<>(lines);
      changed.set(middle, changed.get(middle).replace("signed\":\"{", "signed\":\"{ "));
      assertThat(verifyLines(changed)).isEqualTo(1);
      assertThat(errors.toString()).contains("Entry " + (middle + 1) + " was changed");
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
    HttpResponse<String> answer = operator.get("/api/v1/audit");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body().lines().toList();
  }

  private int verifyLines(List<String> lines) throws Exception {
    return verify("--file=" + Files.write(folder.resolve("audit.jsonl"), lines));
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

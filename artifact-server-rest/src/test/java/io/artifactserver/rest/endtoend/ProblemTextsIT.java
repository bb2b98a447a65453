package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The details of problems tell their reader what to change, in the words of the API. */
@ExtendWith(SharedServer.class)
class ProblemTextsIT {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "PUT  | repositories/public/limits | {\"bytesPerSecond\": 1.5}                 | \"bytesPerSecond\" must be a whole number.",
        "PUT  | repositories/public/limits | {\"bytesPerSecond\": \"5\"}               | \"bytesPerSecond\" must be a whole number.",
        "PUT  | repositories/public/limits | {\"bytesPerSecond\": 1e2}                 | \"bytesPerSecond\" must be a whole number.",
        "PUT  | repositories/public/limits | {\"bytesPerSecond\": true}                | \"bytesPerSecond\" must be a whole number.",
        "PUT  | repositories/public/limits | {\"bytesPerSecond\": \"\"}                | \"bytesPerSecond\" must be a whole number.",
        "PUT  | repositories/public/limits | {\"bytesPerSecond\": [1]}                 | \"bytesPerSecond\" must be a whole number.",
        "PUT  | repositories/public/limits | {\"bytesPerSecond\": {}}                  | \"bytesPerSecond\" must be a whole number.",
        "PUT  | repositories/public/limits | {\"bytesPerSecond\": 9223372036854775808} | \"bytesPerSecond\" is out of range.",
        "PUT  | repositories/public/limits | []                                        | The body must be an object.",
        "PUT  | repositories/public/limits | 5                                         | The body must be an object.",
        "PUT  | repositories/public/limits | \"a\"                                     | The body must be an object.",
        "PUT  | repositories/public/limits | {                                         | The body is not JSON.",
        "PUT  | repositories/public/limits | {\"bytesPerSecond\": 1, \"bytesPerSecond\": 2} | The field \"bytesPerSecond\" is there twice.",
        "POST | tokens                     | {\"name\": \"a\", \"labels\": {\"b\": \"c\", \"b\": \"d\"}} | The field \"b\" is there twice.",
        "PUT  | limits/egress              | {\"bytesPerSecond\": 1.5}                 | \"bytesPerSecond\" must be a whole number.",
        "PUT  | limits/egress              | {\"bytesPerSecond\": 1, \"roles\": \"a\"}   | \"roles\" must be an array.",
        "PUT  | limits/egress              | {\"bytesPerSecond\": 1, \"roles\": [[]]}    | Each entry of \"roles\" must be a string.",
        "POST | repositories               | {\"name\": \"n\", \"public\": \"true\"}     | \"public\" must be true or false.",
        "POST | repositories               | {\"name\": \"n\", \"public\": 1}            | \"public\" must be true or false.",
        "POST | repositories               | {\"name\": {}}                            | \"name\" must be a string.",
        "POST | repositories               | {\"name\": \"a\\u0000\"}                   | \"name\" must not have the character U+0000.",
        "POST | repositories               | {\"name\": \"n\", \"maxAge\": 3e9}          | \"maxAge\" must be a whole number.",
        "POST | repositories               | {\"name\": \"n\", \"maxAge\": 3000000000}   | \"maxAge\" is out of range.",
      })
  void aBodyOfAnotherShape(
      String method, String path, String body, String detail, PackagedServer server)
      throws Exception {
    try (Operator operator = new Operator(server)) {
      HttpResponse<String> response = operator.json(method, "/api/v1/" + path, body);
      assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
      assertThat(detail(response)).isEqualTo(detail);
    }
  }

  @Test
  void anUnknownIdIsNamed(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      for (String things : new String[] {"tokens", "links/keys"}) {
        HttpResponse<String> response = operator.delete("/api/v1/" + things + "/no-such-id");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(detail(response)).contains("\"no-such-id\"", "GET /api/v1/" + things);
      }
      assertThat(detail(operator.json("POST", "/api/v1/tokens/no-such-id/rotate", "{}")))
          .contains("\"no-such-id\"");
    }
  }

  @Test
  void aDeviceIsSentNowhereItMayNotGo(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient device = HttpClient.newHttpClient()) {
      String token =
          JsonMapper.shared()
              .readTree(
                  operator
                      .json(
                          "POST",
                          "/api/v1/tokens",
                          "{\"name\": \"texts\", \"repositories\": [\"secret\"]}")
                      .body())
              .get("token")
              .asString();
      Map<String, String> details =
          Map.of(
              "/artifacts/secret/absent",
              "Check the address",
              "/blobs/sha256/" + "0".repeat(64),
              "Check the address",
              "/nowhere",
              "needs the role admin; yours is device",
              "/api/v1/nowhere",
              "needs the role admin; yours is device",
              "/api/v1/repositories",
              "needs the role reader or higher; yours is device");
      for (Map.Entry<String, String> each : details.entrySet()) {
        HttpResponse<String> response =
            device.send(
                HttpRequest.newBuilder(server.uri(each.getKey()))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                BodyHandlers.ofString());
        assertThat(response.statusCode()).as(each.getKey()).isIn(403, 404);
        assertThat(detail(response)).contains(each.getValue()).doesNotContain("GET /api");
      }
      assertThat(detail(operator.get("/api/v1/nowhere")))
          .contains("No endpoint GET /api/v1/nowhere");
    }
  }

  private static String detail(HttpResponse<String> response) {
    assertThat(response.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
    JsonNode problem = JsonMapper.shared().readTree(response.body());
    return problem.get("detail").asString();
  }
}

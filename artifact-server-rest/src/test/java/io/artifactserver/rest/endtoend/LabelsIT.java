package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Labels of tokens, and stages for those that have them. */
@ExtendWith(SharedServer.class)
class LabelsIT {
  private static final String TOKENS = "/api/v1/tokens";
  private static final String CHANNEL = "/api/v1/repositories/labelled/channels/stable";

  private static Operator operator;

  @BeforeAll
  static void fill(PackagedServer shared) throws Exception {
    operator = new Operator(shared);
    operator.createRepository("labelled", false);
    for (String path : new String[] {"1.0/fw", "1.1/fw"}) {
      operator.put("labelled", path, Bytes.random(10_000, path.hashCode()));
    }
    operator.json("PUT", CHANNEL, "{\"release\": \"1.0\"}");
  }

  @AfterAll
  static void disconnect() {
    operator.close();
  }

  /** At once, and by what its token has, whatever it says of itself. */
  @Test
  void aStageIsForTheDevicesWhoseTokensHaveItsLabels() throws Exception {
    JsonNode device = made("\"labels\": {\"ring\": \"field\", \"site\": \"lab\"}");
    assertThat(device.get("labels").get("ring").asString()).isEqualTo("field");
    HttpResponse<String> staged =
        operator.json(
            "PUT",
            CHANNEL,
            "{\"release\": \"1.1\", \"groups\": {\"labels\": {\"ring\": \"canary\", \"site\": \"lab\"}}}",
            "If-Match",
            "*");
    assertThat(staged.statusCode()).as(staged.body()).isEqualTo(200);
    assertThat(staged.body()).contains("\"labels\":{\"ring\":\"canary\",\"site\":\"lab\"}");
    assertThat(offered(device)).isEqualTo("1.0");
    assertThat(label(device, "{\"ring\": \"canary\"}").statusCode()).isEqualTo(200);
    assertThat(offered(device)).isEqualTo("1.0");
    HttpResponse<String> labelled =
        label(device, "{\"ring\": \"canary\", \"site\": \"lab\", \"batch\": 7}");
    assertThat(labelled.body()).contains("\"batch\":\"7\"").doesNotContain("\"token\"");
    assertThat(offered(device)).isEqualTo("1.1");
    JsonNode rotated =
        JsonMapper.shared()
            .readTree(
                operator
                    .json("POST", TOKENS + "/" + device.get("id").asString() + "/rotate", "{}")
                    .body());
    assertThat(offered(rotated)).isEqualTo("1.1");
    assertThat(label(device, "{}").statusCode()).isEqualTo(200);
    assertThat(offered(device)).isEqualTo("1.0");
    assertThat(operator.audit())
        .anyMatch(entry ->
            entry.contains(device.get("id").asString() + "/labels")
                && entry.contains("\"before\"")
                && entry.contains("\"batch\":\"7\""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"device", "reader", "publisher"})
  void onlyAdminsLabel(String role) throws Exception {
    JsonNode device = made("\"role\": \"%s\"".formatted(role));
    String address = TOKENS + "/" + device.get("id").asString() + "/labels";
    String body = "{\"ring\": \"canary\"}";
    String token = device.get("token").asString();
    assertThat(operator.as(token, "PUT", address, body).statusCode()).isEqualTo(403);
    assertThat(operator.as("", "PUT", address, body).statusCode()).isEqualTo(401);
    String rotated = operator.json("POST", address.replace("/labels", "/rotate"), "{}").body();
    assertThat(rotated).contains("\"role\":\"" + role).doesNotContain("labels");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"R ng\": \"a\"}          | key of a label",
        "{\"\": \"a\"}              | key of a label",
        "{\"ring\": null}           | has no value",
        "{\"ring\": \"a\\nb\"}      | control characters",
        "{\"ring\": \"\\u0000\"}    | U+0000",
        "{\"ring\": {\"a\": \"b\"}}   | must be",
        "{\"ring\": [\"a\"]}        | must be",
        "[]                         | must be",
        "null                       | body"
      })
  void whatIsNoLabelIsRefused(String body, String reason) throws Exception {
    JsonNode device = made("\"labels\": {\"ring\": \"field\"}");
    HttpResponse<String> refused = label(device, body);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(refused.body()).contains(reason);
    if (body.startsWith("{")) {
      HttpResponse<String> stage =
          operator.json(
              "PUT",
              CHANNEL + "-refused",
              "{\"release\": \"1.1\", \"groups\": {\"labels\": %s}}".formatted(body));
      assertThat(stage.statusCode()).as(stage.body()).isEqualTo(400);
    }
  }

  @Test
  void theConsoleShowsThemAsText(PackagedServer server) throws Exception {
    JsonNode device = made("\"labels\": {\"ring\": \"<i>canary\"}");
    Instant before = Instant.parse(device.get("created").asString()).minusMillis(1);
    try (Browser browser = new Browser(server, HttpClient.newHttpClient())) {
      browser.signIn(server.operatorToken());
      String page =
          browser
              .get(
                  "/console/tokens?id=&since="
                      + URLEncoder.encode(before.toString(), StandardCharsets.UTF_8))
              .body();
      assertThat(page)
          .contains(
              "<bdi>ring=&lt;i&gt;canary</bdi>",
              "PUT /api/v1/tokens/" + device.get("id").asString() + "/labels")
          .doesNotContain("<i>canary");
    }
  }

  @Test
  void noTokenIsLabelledThatIsNotThere() throws Exception {
    HttpResponse<String> absent = operator.json("PUT", TOKENS + "/0123456789abcdef/labels", "{}");
    assertThat(absent.statusCode()).isEqualTo(404);
    assertThat(absent.body()).contains("GET /api/v1/tokens lists them");
  }

  private static HttpResponse<String> label(JsonNode token, String labels) throws Exception {
    return operator.json("PUT", TOKENS + "/" + token.get("id").asString() + "/labels", labels);
  }

  private static JsonNode made(String property) throws Exception {
    HttpResponse<String> made =
        operator.json(
            "POST",
            TOKENS,
            "{\"name\": \"labelled\", \"repositories\": [\"labelled\"], %s}".formatted(property));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return JsonMapper.shared().readTree(made.body());
  }

  /** The release that a poll is sent to. */
  private static String offered(JsonNode token) throws Exception {
    HttpResponse<String> answer =
        operator.as(
            token.get("token").asString(),
            "GET",
            "/poll/swupdate/labelled/stable/fw?id=board-1&ring=canary&labels=ring%3Dcanary",
            "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(302);
    return answer
        .headers()
        .firstValue("Location")
        .orElseThrow()
        .replaceAll(".*/(1\\.\\d)/fw.*", "$1");
  }
}

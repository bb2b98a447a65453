package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.Collections;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Stages, as each role sees, changes and attacks them. */
@ExtendWith(SharedServer.class)
class StageAccessIT {
  private static final String API = "/api/v1/repositories/staging/channels";
  private static final String CHANNEL = API + "/a-stable";
  private static final String OPEN = "/api/v1/repositories/open-stage/channels/stable";
  private static final String STAGE =
      """
      {"release": "a/1.1", "percentage": 50,
       "groups": {"callers": ["secret-lab-*", "device of staging"], "addresses": ["0.0.0.0/0", "::/0"]},
       "stop": {"percentage": 5, "atLeast": 2}}
      """;
  private static final int NAMES = 100;
  private static final int NAMES_OF_ADDRESS = 20;

  private static Operator operator;

  @BeforeAll
  static void fill(PackagedServer shared) throws Exception {
    operator = new Operator(shared);
    operator.createRepository("staging", false);
    operator.createRepository("open-stage", true);
    for (String path : new String[] {"a/1.1/fw", "b/1.0/fw"}) {
      operator.put("staging", path, Bytes.random(10_000, path.hashCode()));
    }
    for (String path : new String[] {"1.0/fw", "1.1/fw"}) {
      operator.put("open-stage", path, Bytes.random(10_000, path.hashCode()));
    }
    operator.json("PUT", OPEN, "{\"release\": \"1.0\"}");
  }

  /** The base lies where those who may read the release may not. */
  @BeforeEach
  void stage() throws Exception {
    operator.json("PUT", CHANNEL, "{\"release\": \"b/1.0\"}");
    operator.json("PUT", CHANNEL, "{\"release\": \"b/1.0\"}", "If-Match", "*");
    assertThat(operator.json("PUT", CHANNEL, STAGE, "If-Match", "*").statusCode()).isEqualTo(200);
  }

  @AfterAll
  static void disconnect() {
    operator.close();
  }

  @Test
  void onlyPublishersOfTheChannelPauseAndResume() throws Exception {
    String device = token("device", "");
    String reader = token("reader", "");
    String ofArtifacts = token("publisher", "\"a\"");
    String ofOther = token("publisher", "\"a\", \"@a-stable-2\"");
    String before = operator.get(CHANNEL).body();
    for (String action : new String[] {"/pause", "/resume"}) {
      assertThat(send("POST", CHANNEL + action, "", "").statusCode()).isEqualTo(401);
      for (String token : new String[] {device, reader, ofArtifacts, ofOther}) {
        assertThat(send("POST", CHANNEL + action, "", token).statusCode()).isEqualTo(403);
      }
      assertThat(send("POST", API + "/absent" + action, "", reader).statusCode()).isEqualTo(403);
    }
    assertThat(operator.get(CHANNEL).body()).isEqualTo(before);
    String publisher = token("publisher", "\"a\", \"@a-stable\"");
    assertThat(send("POST", CHANNEL + "/pause", "", publisher).body()).contains("\"paused\":true");
    assertThat(send("POST", CHANNEL + "/resume", "", publisher, "If-Match", "\"1\"").statusCode())
        .isEqualTo(412);
    assertThat(send("POST", CHANNEL + "/resume", "", publisher).body())
        .contains("\"paused\":false");
    assertThat(operator.json("POST", CHANNEL + "/pause", "").statusCode()).isEqualTo(200);
    assertThat(operator.json("POST", API + "/absent/pause", "").statusCode()).isEqualTo(404);
  }

  @Test
  void aReaderLearnsNoNamesOfOthers() throws Exception {
    String limited = token("reader", "\"a\"");
    for (String path : new String[] {"", "/a-stable"}) {
      assertThat(send("GET", API + path, "", limited).body())
          .contains("\"release\":\"a/1.1\"", "\"percentage\":50")
          .doesNotContain("b/1.0", "secret-lab", "groups");
    }
    assertThat(send("GET", CHANNEL + "/history", "", limited).body())
        .contains("a/1.1")
        .doesNotContain("b/1.0", "secret-lab", "groups");
    assertThat(send("GET", CHANNEL, "", token("reader", "")).body())
        .contains("\"base\":\"b/1.0\"")
        .doesNotContain("secret-lab");
    assertThat(send("GET", CHANNEL, "", token("publisher", "\"a\"")).body())
        .contains("secret-lab")
        .doesNotContain("b/1.0");
    assertThat(send("GET", CHANNEL, "", token("device", "")).statusCode()).isEqualTo(403);
  }

  /** A device gets nothing that it may not read, whichever share it is in. */
  @Test
  void aStageOpensNothingToADevice() throws Exception {
    String device = token("device", "\"a\"");
    int offered = 0;
    for (int i = 0; i < NAMES; i++) {
      HttpResponse<String> answer =
          send("GET", "/poll/rauc/staging/a-stable/fw", "", device, "RAUC-Serial", "made-up-" + i);
      assertThat(answer.statusCode()).isIn(302, 404);
      assertThat(answer.body()).doesNotContain("b/1.0");
      offered += answer.statusCode() == 302 ? 1 : 0;
    }
    assertThat(offered).isBetween(25, 75);
    for (String path : new String[] {"b/1.0/fw?watch=0123456789abcdef", "b/1.0/fw?watch="}) {
      assertThat(send("GET", "/artifacts/staging/" + path, "", device).statusCode()).isEqualTo(404);
      assertThat(send("GET", "/artifacts/staging/" + path, "", "").statusCode()).isEqualTo(401);
    }
    assertThat(send("GET", "/artifacts/staging/a/1.1/fw?watch=0", "", device).statusCode())
        .isEqualTo(200);
  }

  /** Each is asked to be one device, and is a hundred. A token of another repository is no help. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStrangerDoesNotStopAStageThatAsksForMoreThanOneAddressHas(boolean hasToken)
      throws Exception {
    String token = hasToken ? token("device", "") : "";
    double before = operator.metric("artifact_server_stage_unwatched_total");
    operator.json(
        "PUT",
        OPEN,
        "{\"release\": \"1.1\", \"stop\": {\"percentage\": 5, \"atLeast\": %d}}"
            .formatted(NAMES_OF_ADDRESS + 1),
        "If-Match",
        "*");
    for (int i = 0; i < NAMES; i++) {
      String poll = "/poll/swupdate/open-stage/stable/fw";
      assertThat(send("GET", poll + "?id=made-up-" + i, "", token).statusCode()).isEqualTo(302);
      assertThat(send("PUT", poll + "/log", "fail,made-up-" + i, token).statusCode())
          .isEqualTo(204);
    }
    JsonNode channel = JsonMapper.shared().readTree(operator.get(OPEN).body());
    assertThat(channel.get("release").asString()).isEqualTo("1.1");
    assertThat(channel.get("devices").get("failed").asInt()).isEqualTo(NAMES_OF_ADDRESS);
    assertThat(operator.metric("artifact_server_stage_unwatched_total") - before)
        .isGreaterThanOrEqualTo(NAMES - NAMES_OF_ADDRESS);
    // They leave nothing behind when the stage is over, and StageIT ends its own ones.
    operator.json("PUT", OPEN, "{\"release\": \"1.0\"}", "If-Match", "*");
    operator.json("PUT", CHANNEL, "{\"release\": \"b/1.0\"}", "If-Match", "*");
    eventuallyPasses(
        "the table is empty",
        () -> assertThat(operator.metric("artifact_server_stage_devices")).isZero());
  }

  @Test
  void whatIsNoStageIsRefused() throws Exception {
    String tooMany = String.join(",", Collections.nCopies(1_000, "\"a\""));
    for (String property :
        new String[] {
          "\"percentage\": 0",
          "\"percentage\": 101",
          "\"percentage\": \"10\"",
          "\"groups\": {\"addresses\": [\"10.1\"]}",
          "\"groups\": {\"addresses\": [\"localhost\"]}",
          "\"groups\": {\"addresses\": [null]}",
          "\"groups\": {\"callers\": [\"\"]}",
          "\"groups\": {\"callers\": [null]}",
          "\"groups\": {\"callers\": [\"a\\u0000\"]}",
          "\"groups\": {\"callers\": [" + tooMany + "]}",
          "\"groups\": {\"labels\": [\"a\"]}",
          "\"windows\": [\"at night\"]",
          "\"windows\": [null]",
          "\"windows\": [\"22:00-04:00 Europe/Atlantis\"]",
          "\"windows\": [" + tooMany.replace("\"a\"", "\"00:00-01:00\"") + "]",
          "\"stop\": {}",
          "\"stop\": {\"percentage\": 100}",
          "\"stop\": {\"percentage\": -1}",
          "\"stop\": {\"percentage\": 5, \"within\": \"soon\"}",
          "\"stop\": {\"percentage\": 5, \"within\": \"1ns\"}",
          "\"stop\": {\"percentage\": 5, \"within\": \"PT9223372036854775807S\"}",
          "\"stop\": {\"percentage\": 5, \"atLeast\": 0}",
          "\"stop\": {\"percentage\": 5, \"stall\": \"31d\"}",
          "\"comment\": \"a\\u0000\""
        }) {
      HttpResponse<String> refused =
          operator.json(
              "PUT", API + "/refused", "{\"release\": \"a/1.1\", %s}".formatted(property));
      assertThat(refused.statusCode()).as("%s: %s", property, refused.body()).isEqualTo(400);
      assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
    }
    assertThat(operator.get(API + "/refused").statusCode()).isEqualTo(404);
  }

  private static String token(String role, String paths) throws Exception {
    return operator.token(role, "staging", paths);
  }

  private static HttpResponse<String> send(
      String method, String path, String body, String token, String... fields) throws Exception {
    return operator.as(token, method, path, body, fields);
  }
}

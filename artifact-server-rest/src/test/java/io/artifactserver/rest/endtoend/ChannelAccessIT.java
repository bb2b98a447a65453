package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.json.JsonMapper;

/** Channels of a protected repository, as each role sees and may change them. */
@ExtendWith(SharedServer.class)
class ChannelAccessIT {
  private static final String API = "/api/v1/repositories/guarded/channels";
  private static final byte[] BYTES = Bytes.random(10_000, 493);

  private static Operator operator;

  @BeforeAll
  static void fill(PackagedServer shared) throws Exception {
    operator = new Operator(shared);
    operator.createRepository("guarded", false);
    for (String path : new String[] {"a/1.0/fw", "a/1.1/fw", "b/1.0/fw"}) {
      operator.put("guarded", path, path.getBytes(StandardCharsets.UTF_8));
    }
    operator.json("PUT", API + "/a-stable", "{\"release\": \"a/1.0\"}");
    operator.json("PUT", API + "/b-stable", "{\"release\": \"b/1.0\"}");
  }

  @AfterAll
  static void disconnect() {
    operator.close();
  }

  @Test
  void aChannelIsReadByWhoMayReadItsTarget() throws Exception {
    String device = token("device", "\"a\"");
    for (int i = 0; i < 3; i++) {
      assertThat(get("/artifacts/guarded/@a-stable/fw", device).body()).isEqualTo("a/1.0/fw");
      HttpResponse<String> other = get("/artifacts/guarded/@b-stable/fw", device);
      HttpResponse<String> absent = get("/artifacts/guarded/@c-stable/fw", device);
      assertThat(other.statusCode()).isEqualTo(404);
      assertThat(other.body().replace("@b-", "@c-")).isEqualTo(absent.body());
      HttpResponse<String> ofNobody = get("/artifacts/guarded/@a-stable/fw", "");
      assertThat(ofNobody.statusCode()).isEqualTo(401);
      assertThat(ofNobody.body().replace("@a-", "@c-"))
          .isEqualTo(get("/artifacts/guarded/@c-stable/fw", "").body());
    }
    assertThat(get("/artifacts/guarded/@a-stable/fw", device).headers().firstValue("Cache-Control"))
        .contains("private, no-cache");
    // A scope of the channel's address opens nothing: the channel may point anywhere one day.
    String ofAddress = token("device", "\"@a-stable\"");
    assertThat(get("/artifacts/guarded/@a-stable/fw", ofAddress).statusCode()).isEqualTo(404);
    assertThat(get(API, device).statusCode()).isEqualTo(403);
    assertThat(send("PUT", API + "/a-stable", "{\"release\": \"a/1.1\"}", device).statusCode())
        .isEqualTo(403);
  }

  @Test
  void aReaderSeesChannelsOfItsScopeAndChangesNone() throws Exception {
    String reader = token("reader", "\"a\"");
    assertThat(get(API, reader).body()).contains("a-stable").doesNotContain("b-stable", "b/1.0");
    assertThat(get(API + "/a-stable", reader).statusCode()).isEqualTo(200);
    assertThat(get(API + "/a-stable/history", reader).body()).contains("a/1.0");
    for (String name : new String[] {"b-stable", "absent"}) {
      for (String part : new String[] {"", "/history"}) {
        HttpResponse<String> hidden = get(API + "/" + name + part, reader);
        assertThat(hidden.statusCode()).as(name).isEqualTo(403);
      }
    }
    assertThat(send("DELETE", API + "/a-stable", "", reader).statusCode()).isEqualTo(403);
    assertThat(send("POST", API + "/a-stable/rollback", "", reader).statusCode()).isEqualTo(403);
    assertThat(get(API, token("reader", "")).body()).contains("a-stable", "b-stable");
  }

  @Test
  void aPublisherSwitchesChannelsOfItsScopeToReleasesOfItsScope() throws Exception {
    operator.json("PUT", API + "/a-beta", "{\"release\": \"a/1.0\"}");
    String ofArtifacts = token("publisher", "\"a\"");
    assertThat(send("PUT", API + "/a-beta", "{\"release\": \"a/1.1\"}", ofArtifacts).statusCode())
        .isEqualTo(403);
    String publisher = token("publisher", "\"a\", \"@a-beta\"");
    assertThat(send("PUT", API + "/a-beta", "{\"release\": \"b/1.0\"}", publisher).statusCode())
        .isEqualTo(403);
    assertThat(send("PUT", API + "/a-beta", "{\"release\": \"b/9.9\"}", publisher).statusCode())
        .isEqualTo(403);
    assertThat(send("PUT", API + "/b-stable", "{\"release\": \"a/1.1\"}", publisher).statusCode())
        .isEqualTo(403);
    assertThat(send("PUT", API + "/a-beta", "{\"release\": \"a/1.1\"}", publisher).statusCode())
        .isEqualTo(428);
    HttpResponse<String> switched =
        send("PUT", API + "/a-beta", "{\"release\": \"a/1.1\"}", publisher, "If-Match", "*");
    assertThat(switched.statusCode()).isEqualTo(200);
    assertThat(send("POST", API + "/a-beta/rollback", "", publisher).statusCode()).isEqualTo(200);
    assertThat(operator.get(API + "/b-stable").body()).contains("b/1.0");
    String audit = String.join("\n", operator.audit());
    assertThat(audit)
        .contains("\"method\":\"PUT\",\"path\":\"" + API + "/a-beta\"")
        .contains("\"before\":{\"channel\":\"a-beta\"")
        .contains("\"after\":{\"channel\":\"a-beta\"");
  }

  @Test
  void aLinkOpensNoChannel() throws Exception {
    String link =
        JsonMapper.shared()
            .readTree(
                operator
                    .json(
                        "POST",
                        "/api/v1/links",
                        "{\"repository\":\"guarded\",\"path\":\"a/1.0/fw\",\"expires\":\"1h\"}")
                    .body())
            .get("url")
            .asString();
    assertThat(get(link, "").statusCode()).isEqualTo(200);
    assertThat(get(link.replace("/a/1.0/", "/@a-stable/"), "").statusCode()).isEqualTo(403);
  }

  @Test
  void artifactsOfOldStayWhereTheyAre() throws Exception {
    assertThat(operator.put("guarded", "@a-stable/new", BYTES).statusCode()).isEqualTo(400);
    assertThat(operator.put("guarded", "@", BYTES).statusCode()).isEqualTo(400);
    assertThat(operator.put("guarded", "a/@b/fw", BYTES).statusCode()).isEqualTo(201);
  }

  private static String token(String role, String paths) throws Exception {
    return operator.token(role, "guarded", paths);
  }

  private static HttpResponse<String> get(String path, String token) throws Exception {
    return send("GET", path, "", token);
  }

  private static HttpResponse<String> send(
      String method, String path, String body, String token, String... fields) throws Exception {
    return operator.as(token, method, path, body, fields);
  }
}

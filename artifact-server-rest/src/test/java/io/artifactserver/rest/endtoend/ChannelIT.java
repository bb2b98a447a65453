package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Devices follow a channel, and get what it points to. */
@EnumSource
class ChannelIT extends EachTransport {
  private static final byte[] OLD = Bytes.random(100_000, 491);
  private static final byte[] NEW = Bytes.random(100_000, 492);

  private Operator operator;
  private String repository = "";
  private String channels = "";
  private String address = "";

  @BeforeParameterizedClassInvocation
  void connect() throws Exception {
    operator = server.operator();
  }

  @AfterParameterizedClassInvocation
  void disconnect() {
    operator.close();
  }

  private void fill(String name, boolean isPublic) throws Exception {
    repository = name + "-" + transport;
    channels = "/api/v1/repositories/" + repository + "/channels";
    address = "/artifacts/" + repository + "/@stable/fw.img";
    operator.createRepository(repository, isPublic);
    operator.put(repository, "1.1/fw.img", OLD);
    operator.put(repository, "1.2/fw.img", NEW);
  }

  private HttpResponse<String> point(String release, String... fields) throws Exception {
    return operator.json(
        "PUT", channels + "/stable", "{\"release\": \"%s\"}".formatted(release), fields);
  }

  @Test
  void aChannelAnswersWithTheBytesAndValidatorsOfItsRelease() throws Exception {
    fill("followed", true);
    assertThat(operator.downloadAsNobody(address).statusCode()).isEqualTo(404);
    String version = "*";
    for (String release : new String[] {"1.1", "1.2/"}) {
      byte[] bytes = release.equals("1.1") ? OLD : NEW;
      HttpResponse<String> pointed =
          version.equals("*")
              ? point(release, "If-None-Match", "*")
              : point(release, "If-Match", version);
      assertThat(pointed.statusCode()).as(pointed.body()).isEqualTo(200);
      version = pointed.headers().firstValue("ETag").orElseThrow();
      String own = "/artifacts/" + repository + "/" + release.replace("/", "") + "/fw.img";
      HttpResponse<byte[]> target = operator.downloadAsNobody(own);
      for (int i = 0; i < 3; i++) {
        HttpResponse<byte[]> answer = operator.downloadAsNobody(address);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(bytes);
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-cache");
        assertThat(answer.headers().firstValue("Content-Location")).contains(own);
        for (String field : new String[] {"ETag", "Last-Modified", "Repr-Digest", "Content-Type"}) {
          assertThat(answer.headers().firstValue(field))
              .isPresent()
              .isEqualTo(target.headers().firstValue(field));
        }
      }
      assertThat(operator.downloadAsNobody(address + ".sha256").body())
          .isEqualTo(operator.downloadAsNobody(own + ".sha256").body());
      assertThat(
              operator
                  .download(address, "If-None-Match", target.headers().firstValue("ETag").get())
                  .statusCode())
          .isEqualTo(304);
    }
    assertThat(operator.downloadAsNobody(address.replace("fw.img", "other")).statusCode())
        .isEqualTo(404);
    assertThat(operator.downloadAsNobody(address.replace("stable", "beta")).statusCode())
        .isEqualTo(404);
  }

  @Test
  void aDownloadThatGoesOnOverASwitchBeginsAgain() throws Exception {
    fill("resumed", true);
    String first = point("1.1").headers().firstValue("ETag").orElseThrow();
    try (Wire wire = open()) {
      String tag = get(wire, "").field("ETag").orElseThrow();
      // Often enough for the connection to know the request.
      for (int i = 0; i < 50; i++) {
        for (String condition : new String[] {"If-Range: ", "If-Match: "}) {
          Response part = get(wire, condition + tag + "\r\nRange: bytes=5000-5999\r\n");
          assertThat(part.status()).isEqualTo(206);
          assertThat(part.field("Cache-Control")).contains("no-cache");
          assertThat(part.body()).isEqualTo(Arrays.copyOfRange(OLD, 5_000, 6_000));
        }
      }
      assertThat(point("1.2", "If-Match", first).statusCode()).isEqualTo(200);
      for (int i = 0; i < 2; i++) {
        Response whole = get(wire, "If-Range: " + tag + "\r\nRange: bytes=5000-5999\r\n");
        assertThat(whole.status()).isEqualTo(200);
        assertThat(whole.body()).isEqualTo(NEW);
        Response failed = get(wire, "If-Match: " + tag + "\r\nRange: bytes=5000-5999\r\n");
        assertThat(failed.status()).isEqualTo(412);
      }
    }
  }

  @Test
  void aRangeThatNamesNoVersionIsAnsweredFromTheFirstByteOnly() throws Exception {
    fill("unnamed", true);
    point("1.1");
    try (Wire wire = open()) {
      String date = get(wire, "").field("Last-Modified").orElseThrow();
      for (int i = 0; i < 20; i++) {
        Response begun = get(wire, "Range: bytes=0-99\r\n");
        assertThat(begun.status()).isEqualTo(206);
        assertThat(begun.field("Content-Range")).contains("bytes 0-99/100000");
        assertThat(begun.body()).isEqualTo(Arrays.copyOf(OLD, 100));
        for (String range :
            new String[] {
              "Range: bytes=100-199\r\n",
              "Range: bytes=99999-\r\n",
              "Range: bytes=-1\r\n",
              "Range: bytes=0-1,5-6\r\n",
              "If-Match: *\r\nRange: bytes=100-199\r\n",
              "If-Range: " + date + "\r\nRange: bytes=100-199\r\n"
            }) {
          Response whole = get(wire, range);
          assertThat(whole.status()).as(range).isEqualTo(200);
          assertThat(whole.body()).isEqualTo(OLD);
        }
      }
    }
  }

  @Test
  void aChangeSaysWhatItChanges() throws Exception {
    fill("compared", true);
    String channel = channels + "/stable";
    assertThat(point("1.1", "If-Match", "*").statusCode()).isEqualTo(412);
    assertThat(operator.get(channel).statusCode()).isEqualTo(404);
    HttpResponse<String> made =
        operator.json(
            "PUT",
            channel,
            "{\"release\": \"1.1\", \"percentage\": 100, \"comment\": \"the first\"}");
    assertThat(made.statusCode()).isEqualTo(200);
    String first = made.headers().firstValue("ETag").orElseThrow();
    assertThat(made.body())
        .contains("\"release\":\"1.1\"", "\"percentage\":100", "\"comment\":\"the first\"");
    assertThat(point("1.2").statusCode()).isEqualTo(428);
    assertThat(point("1.2").body()).contains("If-Match", "stable");
    assertThat(point("1.2", "If-None-Match", "*").statusCode()).isEqualTo(412);
    assertThat(point("1.2", "If-Match", "\"7\"").statusCode()).isEqualTo(412);
    assertThat(point("1.2", "If-Match", "W/" + first).statusCode()).isEqualTo(412);
    assertThat(operator.get(channel).body()).contains("\"release\":\"1.1\"");
    String second = point("1.2", "If-Match", first).headers().firstValue("ETag").orElseThrow();
    assertThat(second).isNotEqualTo(first);
    assertThat(point("1.1", "If-Match", first).statusCode()).isEqualTo(412);
    assertThat(operator.get(channel).headers().firstValue("ETag")).contains(second);

    assertThat(operator.json("POST", channel + "/rollback", "", "If-Match", first).statusCode())
        .isEqualTo(412);
    HttpResponse<String> back =
        operator.json("POST", channel + "/rollback", "{\"comment\": \"stalls\"}");
    assertThat(back.body())
        .contains("\"release\":\"1.1\"", "\"comment\":\"stalls\"", "\"restored\":1");
    HttpResponse<String> further = operator.json("POST", channel + "/rollback", "{}");
    assertThat(further.statusCode()).isEqualTo(409);
    assertThat(further.body()).contains("no release before");

    assertThat(operator.delete(channel).statusCode()).isEqualTo(428);
    assertThat(operator.json("DELETE", channel, "", "If-Match", first).statusCode()).isEqualTo(412);
    assertThat(operator.json("DELETE", channel, "", "If-Match", "*").statusCode()).isEqualTo(204);
    assertThat(operator.downloadAsNobody(address).statusCode()).isEqualTo(404);
    assertThat(operator.get(channel).statusCode()).isEqualTo(404);
    assertThat(operator.get(channels).body()).isEqualTo("{\"channels\":[]}");

    JsonNode newest = json(operator.get(channel + "/history?limit=2"));
    assertThat(newest.get("changes")).hasSize(2);
    assertThat(newest.get("changes").get(0).has("release")).isFalse();
    JsonNode oldest = json(operator.get(newest.get("next").asString()));
    assertThat(oldest.get("changes"))
        .extracting(change -> change.get("release").asString())
        .containsExactly("1.2", "1.1");
    assertThat(oldest.has("next")).isFalse();
  }

  @Test
  void whatAChannelPointsToIsNotDeleted() throws Exception {
    fill("kept", true);
    String artifact = "/api/v1/repositories/" + repository + "/artifacts/1.1/fw.img";
    point("1.1");
    HttpResponse<String> refused = operator.delete(artifact);
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("\\\"stable\\\"", "1.1/fw.img", "another release");
    assertThat(operator.downloadAsNobody(address).body()).isEqualTo(OLD);
    assertThat(point("1.2", "If-Match", "*").statusCode()).isEqualTo(200);
    assertThat(operator.delete(artifact).statusCode()).isEqualTo(204);
    HttpResponse<String> back = operator.json("POST", channels + "/stable/rollback", "");
    assertThat(back.statusCode()).isEqualTo(409);
    assertThat(back.body()).contains("1.1/");
  }

  @Test
  void whatIsNoChannelIsRefused() throws Exception {
    fill("refused", true);
    for (String body :
        new String[] {
          "{}",
          "{\"release\": \"\"}",
          "{\"release\": \"1.1\", \"percentage\": 101}",
          "{\"release\": \"1.1\", \"comment\": \"%s\"}".formatted("x".repeat(1001)),
          "{\"release\": \"../1.1\"}"
        }) {
      HttpResponse<String> refused = operator.json("PUT", channels + "/stable", body);
      assertThat(refused.statusCode()).as(body).isEqualTo(400);
    }
    assertThat(point("1.3").statusCode()).isEqualTo(409);
    assertThat(point("1.3").body()).contains("1.3/", "Upload");
    assertThat(operator.json("PUT", channels + "/.x", "{\"release\": \"1.1\"}").statusCode())
        .isEqualTo(400);
    assertThat(operator.get(channels + "/stable/history").statusCode()).isEqualTo(404);
    HttpResponse<String> upload = operator.put(repository, "@stable/fw.img", OLD);
    assertThat(upload.statusCode()).isEqualTo(400);
    assertThat(upload.body()).contains("'@'");
    HttpResponse<String> link =
        operator.json(
            "POST",
            "/api/v1/links",
            "{\"repository\": \"%s\", \"path\": \"@stable/fw.img\", \"expires\": \"1h\"}"
                .formatted(repository));
    assertThat(link.statusCode()).isEqualTo(400);
    assertThat(operator.get("/api/v1/repositories/absent/channels").statusCode()).isEqualTo(404);
  }

  private Response get(Wire wire, String fields) throws IOException {
    wire.send("GET %s HTTP/1.1\r\nHost: device\r\n%s\r\n".formatted(address, fields));
    return wire.receive(true);
  }

  private static JsonNode json(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).isEqualTo(200);
    return JsonMapper.shared().readTree(answer.body());
  }
}

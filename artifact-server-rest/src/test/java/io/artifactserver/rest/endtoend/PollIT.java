package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.RaucPoller.Outcome;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** RAUC and SWUpdate ask channels for updates, each in its own words. */
@EnumSource
class PollIT extends EachTransport {
  private static final byte[] OLD = Bytes.random(300_000, 497);
  private static final byte[] NEW = Bytes.random(310_000, 498);

  private Operator operator;
  private String repository = "";
  private String channel = "";

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
    channel = "/api/v1/repositories/" + repository + "/channels/stable";
    operator.createRepository(repository, isPublic);
    operator.put(repository, "board/1.1/fw", OLD);
    operator.put(repository, "board/1.2/fw", NEW);
  }

  private void point(String release) throws Exception {
    HttpResponse<String> pointed =
        operator.json(
            "PUT", channel, "{\"release\": \"board/%s\"}".formatted(release), "If-Match", "*");
    if (pointed.statusCode() == 412) {
      pointed = operator.json("PUT", channel, "{\"release\": \"board/%s\"}".formatted(release));
    }
    assertThat(pointed.statusCode()).as(pointed.body()).isEqualTo(200);
  }

  @Test
  void raucPollsAndStreams() throws Exception {
    fill("rauc", true);
    try (Wire wire = open()) {
      RaucPoller rauc =
          new RaucPoller(
              wire,
              "/poll/rauc/" + repository + "/stable/fw",
              Map.of(),
              Map.of(
                  "RAUC-Serial", "4711",
                  "RAUC-Variant", "board",
                  "RAUC-Machine-ID", "0123456789abcdef0123456789abcdef",
                  "RAUC-System-Version", "1.0",
                  "RAUC-Transaction-ID", "6b29fc40-ca47-1067-b31d-00dd010662da",
                  "RAUC-Boot-ID", "0123456789abcdef0123456789abcdef",
                  "RAUC-Uptime", "12"));
      // A channel that does not exist is a mistake in its configuration.
      assertThat(rauc.poll()).isInstanceOf(Outcome.Failed.class);
      point("1.1");
      Outcome.Bundle old = (Outcome.Bundle) rauc.poll();
      assertThat(old.size()).isEqualTo(OLD.length);
      for (int i = 0; i < 50; i++) {
        assertThat(rauc.poll()).isEqualTo(new Outcome.NotModified());
      }
      point("1.2");
      // The update that it began goes on with the same bytes.
      for (int from = 0; from < OLD.length; from += 50_000) {
        assertThat(rauc.read(old, from, 50_000))
            .isEqualTo(Arrays.copyOfRange(OLD, from, from + 50_000));
      }
      Outcome.Bundle next = (Outcome.Bundle) rauc.poll();
      assertThat(next.size()).isEqualTo(NEW.length);
      assertThat(rauc.read(next, NEW.length - 8, 8))
          .isEqualTo(Arrays.copyOfRange(NEW, NEW.length - 8, NEW.length));
      assertThat(rauc.poll()).isEqualTo(new Outcome.NotModified());
      operator.json("POST", channel + "/rollback", "");
      assertThat(((Outcome.Bundle) rauc.poll()).size()).isEqualTo(OLD.length);
    }
  }

  @Test
  void raucIsToldThatThereIsNothingForIt() throws Exception {
    fill("rauc-none", true);
    point("1.1");
    try (Wire wire = open()) {
      RaucPoller other =
          new RaucPoller(wire, "/poll/rauc/" + repository + "/stable/other", Map.of(), Map.of());
      for (int i = 0; i < 3; i++) {
        assertThat(other.poll()).isEqualTo(new Outcome.NoContent());
      }
      operator.put(repository, "board/1.2/other", OLD);
      point("1.2");
      assertThat(other.poll()).isInstanceOf(Outcome.Bundle.class);
    }
  }

  @Test
  void raucOfAProtectedRepositoryShowsItsToken() throws Exception {
    fill("rauc-secret", false);
    point("1.1");
    String address = "/poll/rauc/" + repository + "/stable/fw";
    try (Wire wire = open()) {
      assertThat(new RaucPoller(wire, address, Map.of(), Map.of()).poll())
          .isEqualTo(new Outcome.Failed("unexpected HTTP response code 401"));
      Map<String, String> good = Map.of("Authorization", "Bearer " + device("board"));
      RaucPoller rauc = new RaucPoller(wire, address, good, Map.of());
      Outcome.Bundle bundle = (Outcome.Bundle) rauc.poll();
      assertThat(rauc.read(bundle, 100, 50)).isEqualTo(Arrays.copyOfRange(OLD, 100, 150));
      assertThat(rauc.poll()).isEqualTo(new Outcome.NotModified());
      // Another one learns nothing of the channel.
      Map<String, String> other = Map.of("Authorization", "Bearer " + device("elsewhere"));
      for (String name : new String[] {"stable", "absent"}) {
        assertThat(new RaucPoller(wire, address.replace("stable", name), other, Map.of()).poll())
            .isEqualTo(new Outcome.Failed("unexpected HTTP response code 404"));
      }
    }
  }

  @Test
  void swupdatePollsAndInstalls() throws Exception {
    fill("swupdate", true);
    String address = "/poll/swupdate/" + repository + "/stable/fw";
    try (Wire wire = open()) {
      assertThat(poll(wire, address, "1.0").status()).isEqualTo(404);
      point("1.1");
      for (int i = 0; i < 3; i++) {
        Response update = poll(wire, address, "1.0");
        assertThat(update.status()).isEqualTo(302);
        String location = update.field("Location").orElseThrow();
        assertThat(operator.downloadAsNobody(location).body()).isEqualTo(OLD);
        assertThat(poll(wire, address, "1.1").status()).isEqualTo(404);
        assertThat(poll(wire, address, "board/1.1").status()).isEqualTo(404);
      }
      assertThat(poll(wire, address + "-other", "1.0").status()).isEqualTo(404);
      point("1.2");
      assertThat(poll(wire, address, "1.1").field("Location"))
          .contains("/artifacts/" + repository + "/board/1.2/fw");
    }
  }

  @Test
  void swupdateIsToldWhenToComeAgainInEveryAnswer() throws Exception {
    fill("swupdate-later", false);
    point("1.1");
    String address = "/poll/swupdate/" + repository + "/stable/fw";
    try (Wire wire = open()) {
      assertThat(poll(wire, address, "1.0").status()).isEqualTo(401);
      String good = "Authorization: Bearer " + device("board") + "\r\n";
      String bad = "Authorization: Bearer " + device("elsewhere") + "\r\n";
      assertThat(poll(wire, address, "1.0", good).status()).isEqualTo(302);
      assertThat(poll(wire, address, "%zz", good).status()).isEqualTo(302);
      assertThat(poll(wire, address, "1.0", bad).status()).isEqualTo(404);
      assertThat(poll(wire, address.replace("stable", "absent"), "1.0", bad).status())
          .isEqualTo(404);
      assertThat(report(wire, address, "started,4711", good)).isEqualTo(204);
      assertThat(report(wire, address, "started,4711", "")).isEqualTo(401);
      assertThat(report(wire, address, "started,4711", bad)).isEqualTo(404);
    }
  }

  @Test
  void whatSwupdateReportsIsProgress() throws Exception {
    fill("swupdate-log", true);
    point("1.1");
    String address = "/poll/swupdate/" + repository + "/stable/fw";
    try (Wire wire = open()) {
      assertThat(report(wire, address, "started,4711", "")).isEqualTo(204);
      assertThat(report(wire, address, "fail,4711,whatever\r\n", "")).isEqualTo(204);
      assertThat(report(wire, address, "success,4712", "")).isEqualTo(204);
      assertThat(report(wire, address + "-other", "fail,4711", "")).isEqualTo(404);
    }
    try (Wire wire = open()) {
      byte[] line = {'f', 'a', 'i', 'l', ',', '4', '7', '1', '1', ',', (byte) 0xff};
      wire.send(
          "PUT %s/log HTTP/1.1\r\nHost: device\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
              .formatted(address, line.length));
      wire.sendBytes(line, 0, line.length);
      assertThat(wire.receive(true).status()).as("what is no UTF-8").isEqualTo(204);
    }
    // A 400 ends its connection.
    for (String line : new String[] {"#12,4711,started", ""}) {
      try (Wire wire = open()) {
        assertThat(report(wire, address, line, "")).as(line).isEqualTo(400);
      }
    }
    try (Wire wire = open()) {
      assertThat(report(wire, address, "fail," + "x".repeat(2_000), "")).isEqualTo(413);
    }
    eventuallyPasses(
        "the reports are progress",
        () ->
            assertThat(
                    operator
                        .get("/api/v1/progress?repository=" + repository + "&path=board/1.1/fw")
                        .body())
                .contains("\"4711\"", "\"4712\"", "\"reported\"")
                .containsOnlyOnce("\"reported\""));
  }

  @Test
  void onlyReportsArePut() throws Exception {
    fill("swupdate-put", true);
    point("1.1");
    for (String path :
        new String[] {
          "/poll/swupdate/" + repository + "/stable/fw",
          "/poll/rauc/" + repository + "/stable/fw/log",
          "/artifacts/" + repository + "/@stable/fw/log"
        }) {
      assertThat(operator.json("PUT", path, "fail,4711").statusCode()).as(path).isEqualTo(405);
    }
    for (String path :
        new String[] {"/poll/rauc/" + repository + "/stable", "/poll/rauc/", "/poll/other/a/b/c"}) {
      assertThat(operator.get(path).statusCode()).as(path).isEqualTo(404);
    }
    assertThat(operator.get("/poll/rauc/" + repository + "/stable/../fw").statusCode())
        .isIn(400, 404);
  }

  private Response poll(Wire wire, String address, String release, String... fields)
      throws IOException {
    wire.send(
        "GET %s?id=4711&hw=1.1&release=%s HTTP/1.1\r\nHost: device\r\nContent-Type: application/json\r\nAccept: application/json\r\ncharsets: utf-8\r\n%s\r\n"
            .formatted(address, release, String.join("", fields)));
    Response answer = wire.receive(true);
    assertThat(answer.field("Retry-After").map(Integer::parseInt).orElse(0)).isBetween(300, 360);
    return answer;
  }

  private static int report(Wire wire, String address, String line, String fields)
      throws IOException {
    wire.send(
        "PUT %s/log HTTP/1.1\r\nHost: device\r\nContent-Type: application/text; charset=utf-8\r\nContent-Length: %d\r\n%s\r\n%s"
            .formatted(address, line.length(), fields, line));
    return wire.receive(true).status();
  }

  private String device(String path) throws Exception {
    HttpResponse<String> made =
        operator.json(
            "POST",
            "/api/v1/tokens",
            """
            {"name": "poller", "repositories": ["%s"], "paths": ["%s"]}
            """
                .formatted(repository, path));
    return JsonMapper.shared().readTree(made.body()).get("token").asString();
  }
}

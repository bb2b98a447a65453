package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static io.artifactserver.rest.endtoend.Siege.quietly;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A publisher of one path tries to take from others. */
@Transports(value = Transport.HTTP1, nightly = Transport.TLS13)
class PublisherAttackIT extends EachTransport {
  private static final int CONNECTIONS = 300;
  private static final int RESETS = 150;
  private static final int MAX_BODY = 64 * 1024;

  private final List<Wire> connections = new ArrayList<>();
  private Operator admin;
  private JsonNode attacker;
  private JsonNode other;
  private long reservedBefore;

  @BeforeEach
  void createTokens() throws Exception {
    admin = server.operator();
    reservedBefore = reserved();
    attacker = createToken("attacker", "board-a/*");
    other = createToken("other", "board-b/*");
  }

  private JsonNode createToken(String name, String path) throws Exception {
    return new JsonMapper()
        .readTree(
            admin
                .json(
                    "POST",
                    "/api/v1/tokens",
                    "{\"name\":\"%s\",\"role\":\"publisher\",\"repositories\":[\"public\"],\"paths\":[\"%s\"]}"
                        .formatted(name, path))
                .body());
  }

  /** And waits until the server has noticed it: the next test needs the places. */
  @AfterEach
  void hangUp() throws IOException {
    for (Wire each : connections) {
      each.close();
    }
    connections.clear();
    eventually("the uploads are over", () -> reserved() <= reservedBefore);
    admin.close();
  }

  private long reserved() throws Exception {
    return new JsonMapper()
        .readTree(admin.get("/api/v1/repositories/public/quota").body())
        .get("reserved")
        .get("bytes")
        .asLong();
  }

  private Wire begin(JsonNode token, String request, int length) throws IOException {
    Wire wire = open();
    connections.add(wire);
    wire.send(
        "%s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{"
            .formatted(request, token.get("token").asString(), length));
    return wire;
  }

  private Response whole(JsonNode token, String request, String body) throws IOException {
    try (Wire wire = open()) {
      wire.send(
          "%s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(request, token.get("token").asString(), body.length(), body));
      return wire.receive(true);
    }
  }

  /** Each of them is known, and its body is not there. */
  @Test
  void bodiesThatTrickleHoldNoThread() throws Exception {
    List<Wire> trickling = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      trickling.add(begin(attacker, "POST /api/v1/links", 1_000));
    }
    assertThat(admin.get("/api/v1/repositories").statusCode()).isEqualTo(200);
    assertThat(whole(other, "POST /api/v1/links", link("board-b/x")).status()).isEqualTo(201);
    assertThat(whole(attacker, "POST /api/v1/links", link("board-a/x")).status()).isEqualTo(201);
    assertThat(admin.delete("/api/v1/tokens/" + attacker.get("id").asString()).statusCode())
        .isEqualTo(204);
    assertThat(whole(attacker, "POST /api/v1/links", link("board-a/x")).status()).isEqualTo(401);
    int slow = 0;
    for (Wire each : trickling) {
      Response late = each.receive(true);
      if (late.status() == 408) {
        slow++;
        assertThat(late.text()).contains("Body too slow", "10 s");
        assertThat(each.isClosedByServer()).isTrue();
      } else {
        // A busy server read its head when the token had gone.
        assertThat(late.status()).isEqualTo(401);
      }
    }
    assertThat(slow).isGreaterThan(CONNECTIONS / 2);
  }

  /** However large they are: nothing of them is stored, and their places are free. */
  @Test
  void uploadsEndWithTheirToken() throws Exception {
    String upload = "PUT /api/v1/repositories/public/artifacts/board-a/late-" + transport;
    Wire whole = begin(attacker, upload, 3);
    List<Wire> endless = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      endless.add(begin(attacker, upload + i, 1_000_000_000));
    }
    assertThat(admin.delete("/api/v1/tokens/" + attacker.get("id").asString()).statusCode())
        .isEqualTo(204);
    whole.send("{}");
    assertThat(whole.receive(true).status()).isEqualTo(401);
    assertThat(admin.get("/artifacts/public/board-a/late-" + transport).statusCode())
        .isEqualTo(404);
    for (Wire each : endless) {
      eventually(
          "it ends",
          () -> {
            quietly(() -> each.send("x"));
            return each.isAnswered();
          });
      assertThat(each.receive(true).status()).isEqualTo(401);
    }
  }

  /** It has to be refused in any case. */
  @Test
  void aDeviceTakesNoPlaceOfUploads() throws Exception {
    JsonNode device =
        new JsonMapper()
            .readTree(admin.json("POST", "/api/v1/tokens", "{\"name\":\"device\"}").body());
    for (int i = 0; i < 40; i++) {
      begin(device, "PUT /api/v1/repositories/public/artifacts/board-a/" + i, 1_000_000);
    }
    for (int i = 0; i < 10; i++) {
      String path = "board-b/%s-free-%d".formatted(transport, i);
      assertThat(admin.put("public", path, new byte[] {1}).statusCode()).isEqualTo(201);
    }
    assertThat(connections.getLast().receive(true).status()).isEqualTo(403);
  }

  /** The audit keeps them as they were sent. */
  @Test
  void aLinksTimesAreBounded() throws Exception {
    String body =
        "{\"repository\":\"public\",\"path\":\"board-a/x\",\"expires\":\"P%s1D\"}"
            .formatted("0".repeat(32_000));
    Response refused = whole(attacker, "POST /api/v1/links", body);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("Invalid link");
  }

  @ParameterizedTest
  @ExpectsLog({"Utf8IllegalArgumentException", "400: Bad query"})
  @ValueSource(strings = {"prefix=%ff", "after=%ed%a0%80", "prefix=%zz", "prefix=%"})
  void aQueryThatIsNotUtf8IsRefused(String query) throws Exception {
    Response refused = whole(attacker, "GET /api/v1/repositories/public/artifacts?" + query, "");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("percent-encoded UTF-8");
  }

  private static String link(String path) {
    return "{\"repository\":\"public\",\"path\":\"%s\",\"expires\":\"1h\"}".formatted(path);
  }

  @Test
  void aBodyIsBounded() throws Exception {
    String longest = link("board-a/x");
    longest += " ".repeat(MAX_BODY - longest.length());
    assertThat(whole(attacker, "POST /api/v1/links", longest).status()).isEqualTo(201);
    assertThat(whole(attacker, "POST /api/v1/links", longest + " ").status()).isEqualTo(413);
    try (Wire wire = open()) {
      wire.send(
          "POST /api/v1/links HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
              .formatted(attacker.get("token").asString()));
      String chunk = "4000\r\n" + " ".repeat(0x4000) + "\r\n";
      for (int i = 0; i < 5; i++) {
        wire.send(chunk);
      }
      Response answer = wire.receive(true);
      assertThat(answer.status()).isEqualTo(413);
      assertThat(answer.text()).contains("Body too long", "65,536");
      assertThat(wire.isClosedByServer()).isTrue();
    }
  }

  /** They are not ended, and leave half of the places to others. */
  @Test
  void uploadsThatTrickleLeavePlacesToOthers() throws Exception {
    takePlaces(attacker, "board-a/");
    for (int i = 0; i < 10; i++) {
      assertThat(
              whole(
                      other,
                      "PUT /api/v1/repositories/public/artifacts/board-b/%s-%d"
                          .formatted(transport, i),
                      "firmware " + transport + i)
                  .status())
          .isEqualTo(201);
    }
    assertThat(whole(attacker, "POST /api/v1/links", link("board-a/x")).status()).isEqualTo(201);
  }

  /** Two publishers together leave room, too. */
  @Test
  void uploadsOfTwoThatTrickleLeaveAPlaceToAThird() throws Exception {
    JsonNode third = createToken("third", "board-c/*");
    takePlaces(attacker, "board-a/");
    takePlaces(other, "board-b/");
    for (int i = 0; i < 10; i++) {
      String path = "board-c/%s-%d".formatted(transport, i);
      assertThat(whole(third, "PUT /api/v1/repositories/public/artifacts/" + path, path).status())
          .isEqualTo(201);
    }
    assertThat(admin.put("public", "board-c/admin-" + transport, new byte[] {1}).statusCode())
        .isEqualTo(201);
  }

  /** As of a pipeline whose machine is taken away: its connections end without a word. */
  @Test
  void uploadsThatAreResetGiveTheirRoomBack() throws Exception {
    for (Transport each : transport.ofOneServer()) {
      String repository = "reset-" + each.name().toLowerCase(Locale.ROOT);
      admin.createRepository(repository, true);
      assertThat(
              admin
                  .json(
                      "PUT",
                      "/api/v1/repositories/" + repository + "/quota",
                      "{\"bytes\": 2000000}")
                  .statusCode())
          .isEqualTo(200);
      String head =
          "PUT /api/v1/repositories/%s/artifacts/%%d HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Length: 1000000\r\n\r\n"
              .formatted(repository, server.server().operatorToken());
      for (int i = 0; i < RESETS; i++) {
        Wire wire = server.by(each).open();
        wire.send(head.formatted(i));
        wire.send("x".repeat(i % 2 == 0 ? 1 : 60_000));
        wire.reset();
      }
      eventuallyPasses(
          "there is room for all that the quota allows",
          () ->
              assertThat(admin.put(repository, "whole", new byte[2_000_000]).statusCode())
                  .isIn(200, 201));
      assertThat(admin.get("/api/v1/repositories/" + repository + "/quota").body())
          .contains("\"reserved\":{\"bytes\":0,\"artifacts\":0}");
    }
  }

  /** Begins uploads until the token gets no further one. */
  private void takePlaces(JsonNode token, String folder) throws Exception {
    String artifacts = "PUT /api/v1/repositories/public/artifacts/" + folder;
    for (int i = 0; i < 40; i++) {
      begin(token, artifacts + i, 1_000_000);
    }
    AtomicInteger more = new AtomicInteger(40);
    eventuallyPasses(
        "the token has its places",
        () -> {
          // Some of those before may have been refused in favour of what ended meanwhile.
          begin(token, artifacts + more.getAndIncrement(), 1_000_000);
          Response refused = whole(token, artifacts + "more", "firmware");
          assertThat(refused.status()).isEqualTo(503);
          assertThat(refused.field("Retry-After")).isPresent();
        });
  }
}

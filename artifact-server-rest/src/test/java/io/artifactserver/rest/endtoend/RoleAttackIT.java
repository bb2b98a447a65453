package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.access.TokenSecret;
import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Attacks with a token of each role, and with wrong ones behind a proxy that nobody named, over all
 * transports of a server at once. In the middle of each an admin takes the token away, and that is
 * the end of it.
 */
@Transports(value = Transport.TLS13, nightly = Transport.HTTP1)
@InTurn(3)
class RoleAttackIT extends Siege {
  private static final String PUBLISHER =
      """
      {"name":"attacker","role":"publisher","repositories":["public"],"paths":["board-a/*"]}\
      """;
  private static final String READER =
      """
      {"name":"attacker","role":"reader"}\
      """;
  private static final String DEVICE =
      """
      {"name":"attacker"}\
      """;

  private static final int ATTACKERS = 40;
  private static final int SECONDS = 3;

  @Test
  void publisherWhoseBodiesTrickle() throws Exception {
    trickle("POST /api/v1/links", 300, 1_000);
  }

  @Test
  void publisherWhoseUploadsTrickle() throws Exception {
    trickle("PUT /api/v1/repositories/public/artifacts/board-a/image", ATTACKERS, 1_000_000);
  }

  /** Neither of them alone holds too many places. */
  @Test
  void twoPublishersWhoseUploadsTrickle() throws Exception {
    List<JsonNode> attackers = List.of(create(PUBLISHER), create(PUBLISHER));
    JsonNode third = create(PUBLISHER);
    String artifacts = "PUT /api/v1/repositories/public/artifacts/board-a/";
    inParallel(
        2 * ATTACKERS + 1,
        i -> {
          if (i < 2 * ATTACKERS) {
            trickle(artifacts + "image", 1_000_000, attackers.get(i % 2), i);
          } else {
            for (int sent = 1; sent < SECONDS; sent++) {
              pause(Duration.ofSeconds(1));
              assertThat(upload(artifacts + "third-" + sent, third)).isIn(200, 201);
            }
          }
        });
    for (JsonNode token : attackers) {
      takeAway(token);
    }
    takeAway(third);
  }

  @Test
  void readerWhoAsksAllTheTime() throws Exception {
    flood(READER, "GET /api/v1/repositories/public/artifacts?limit=1000", "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/progress/summary?repository=public&path=warm.bin",
        "/actuator/prometheus",
        "/v3/api-docs"
      })
  @Nightly("A long list costs the most of what a reader may ask for.")
  void readerWhoAsksForOtherThings(String question) throws Exception {
    flood(READER, "GET " + question, "");
  }

  @Test
  void deviceThatIsRefused() throws Exception {
    flood(DEVICE, "DELETE /api/v1/repositories/public/artifacts/" + "x".repeat(4_000), "");
  }

  @Test
  @Tag(REQUESTS)
  void deviceWithManyNames() throws Exception {
    flood(DEVICE, "GET " + PRIVATE, "Range: bytes=0-9\r\nRAUC-Serial: %d-%d\r\n");
  }

  @Override
  void downloads() throws Exception {
    flood(DEVICE, "GET " + PRIVATE, "Range: bytes=0-9\r\n");
  }

  /** Each of them looks good, and has to be looked up. */
  @Test
  void wrongTokensBehindAProxy() throws Exception {
    JsonNode good = create(DEVICE);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    inParallel(
        ATTACKERS,
        i -> {
          Wire wire = open(i);
          while (System.nanoTime() < end) {
            String wrong = TokenSecret.generate().reveal();
            assertThat(ask(wire, "GET " + PRIVATE, "X-Forwarded-For: 192.0.2.%d\r\n", wrong, i, 0))
                .isIn(401, 429);
          }
        });
    try (Wire device = open(0)) {
      String secret = good.get("token").asString();
      assertThat(ask(device, "GET " + PRIVATE, "Range: bytes=0-9\r\n", secret, 0, 0))
          .isEqualTo(206);
    }
    takeAway(good);
  }

  /** Lists of 300 KB, on streams whose windows stay closed. */
  @Test
  void readersWhoTakeNoLists() throws Exception {
    operator().createRepository("lists", false);
    for (int i = 0; i < 100; i++) {
      String path = i + ("/" + "x".repeat(200)).repeat(4);
      assertThat(operator().put("lists", path, new byte[] {1}).statusCode()).isIn(200, 201);
    }
    List<JsonNode> tokens = new ArrayList<>();
    for (int reader = 0; reader < 4; reader++) {
      JsonNode token = create(READER);
      tokens.add(token);
      Http2Wire wire = keep(server().openHttp2(0));
      for (int stream = 0; stream < 16; stream++) {
        wire.get(
            "/api/v1/repositories/lists/artifacts?limit=100",
            "Authorization: Bearer " + token.get("token").asString());
      }
    }
    JsonNode other = create(READER);
    for (int i = 0; i < 5; i++) {
      try (Wire wire = open(i)) {
        String secret = other.get("token").asString();
        assertThat(ask(wire, "GET /api/v1/repositories", "", secret, 0, 0)).isEqualTo(200);
      }
      pause(Duration.ofMillis(500));
    }
    for (JsonNode token : tokens) {
      takeAway(token);
    }
  }

  /** Asks over and over again, until the token is not good any more. */
  private void flood(String role, String request, String fields) throws Exception {
    JsonNode token = create(role);
    AtomicBoolean isBeingTakenAway = new AtomicBoolean();
    inParallel(
        ATTACKERS + 1,
        i -> {
          if (i == ATTACKERS) {
            pause(Duration.ofSeconds(SECONDS));
            isBeingTakenAway.set(true);
            takeAway(token);
          } else {
            Wire wire = open(i);
            int status = 0;
            for (int number = 0; !isOfWrongToken(status); number++) {
              status = ask(wire, request, fields, token.get("token").asString(), i, number);
            }
            assertThat(isBeingTakenAway).as("answered with %d", status).isTrue();
          }
        });
  }

  private void trickle(String request, int connections, int length) throws Exception {
    JsonNode token = create(PUBLISHER);
    inParallel(connections, i -> trickle(request, length, token, i));
    takeAway(token);
    try (Wire wire = open(0)) {
      assertThat(ask(wire, "GET /api/v1/links", "", token.get("token").asString(), 0, 0))
          .isEqualTo(401);
    }
  }

  private void trickle(String request, int length, JsonNode token, int attacker)
      throws IOException, InterruptedException {
    Wire wire = open(attacker);
    wire.send(
        "%s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            .formatted(request, token.get("token").asString(), length));
    for (int sent = 0; sent < SECONDS * 5; sent++) {
      // Some are refused, and closed.
      quietly(() -> wire.send(" "));
      pause(Duration.ofMillis(200));
    }
  }

  private int upload(String request, JsonNode token) throws IOException {
    try (Wire wire = open(0)) {
      wire.send(
          "%s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Length: 1\r\n\r\nx"
              .formatted(request, token.get("token").asString()));
      return wire.receive(true).status();
    }
  }

  private JsonNode create(String token) throws Exception {
    return JsonMapper.shared().readTree(operator().json("POST", "/api/v1/tokens", token).body());
  }

  private void takeAway(JsonNode token) throws Exception {
    long begin = System.nanoTime();
    assertThat(operator().delete("/api/v1/tokens/" + token.get("id").asString()).statusCode())
        .isEqualTo(204);
    judgeCall((System.nanoTime() - begin) / 1e6);
  }

  /** Of many it is told that they are too many. */
  private static boolean isOfWrongToken(int status) {
    return status == 401 || status == 429;
  }

  /** The transports of the server in turn. */
  private Wire open(int attacker) throws IOException {
    List<Transport> all = transport.ofOneServer();
    return keep(server().by(all.get(attacker % all.size())).open());
  }

  private static int ask(
      Wire wire, String request, String fields, String token, int attacker, int number)
      throws IOException {
    wire.send(
        "%s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n%s\r\n"
            .formatted(request, token, fields.formatted(attacker, number)));
    return wire.receive(true).status();
  }
}

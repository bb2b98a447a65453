package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Downloads whose right to the bytes ends while they wait or run. */
@Transports(value = Transport.HTTP1, nightly = Transport.TLS13)
class QueueAccessIT extends QueueFixture {
  private static final Pattern KEY = Pattern.compile("as-key=([A-Za-z0-9_-]+)");

  /** It is let in when it is its turn, not when it asks. */
  @Test
  void whoseTokenIsTakenAwayWhileItWaitsGetsNothing() throws Exception {
    JsonNode token = deviceToken();
    try (Wire running = occupy("taken", false);
        Wire waiting = open()) {
      waiting.send(get("taken", token.get("token").asString()));
      eventually("it waits", () -> waiting() == 1);
      revoke(token);
      release("taken");
      assertThat(waiting.receive(true).status()).isEqualTo(401);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  /** A 401 would ask for a token, which the holder of a link does not have. */
  @Test
  void whoseLinkIsRevokedWhileItWaitsIsToldSo() throws Exception {
    try (Wire running = occupy("ended", false);
        Wire waiting = open()) {
      String link = link("ended");
      waiting.send(getLinked("ended", link));
      eventually("it waits", () -> waiting() == 1);
      revokeLink(link);
      release("ended");
      Wire.Response refused = waiting.receive(true);
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.field("WWW-Authenticate")).isEmpty();
      assertThat(refused.text()).contains("its key is revoked");
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void downloadEndsWhenItsTokenIsTakenAway() throws Exception {
    JsonNode token = deviceToken();
    operator.createRepository("revoked", false);
    operator.put("revoked", "image", CONTENT);
    limit("revoked", "{\"bytesPerSecond\": 10000}");
    try (Wire running = open()) {
      running.send(get("revoked", token.get("token").asString()));
      eventually("it is let in", running::isAnswered);
      revoke(token);
      assertThat(running.receive(false).status()).isEqualTo(200);
      assertThat(running.rest()).hasSizeLessThan(CONTENT.length);
    }
  }

  /** It needs no token. */
  @Test
  void publicDownloadGoesOnWhenItsTokenIsTakenAway() throws Exception {
    JsonNode token = deviceToken();
    operator.createRepository("open", true);
    operator.put("open", "image", CONTENT);
    limit("open", "{\"bytesPerSecond\": 25000}");
    try (Wire running = open()) {
      running.send(get("open", token.get("token").asString()));
      eventually("it is let in", running::isAnswered);
      revoke(token);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void downloadEndsWhenTheKeyOfItsLinkIsDeleted() throws Exception {
    operator.createRepository("linked", false);
    operator.put("linked", "image", CONTENT);
    limit("linked", "{\"bytesPerSecond\": 10000}");
    String link = link("linked");
    try (Wire running = open()) {
      running.send(getLinked("linked", link));
      eventually("it is let in", running::isAnswered);
      revokeLink(link);
      assertThat(running.receive(false).status()).isEqualTo(200);
      assertThat(running.rest()).hasSizeLessThan(CONTENT.length);
    }
  }

  /** The signer chooses the names in them. */
  @Test
  void linksOfOneKeyAreOneClient() throws Exception {
    List<Wire> waiting = new ArrayList<>();
    try (Wire running = occupy("named", false)) {
      for (int i = 0; i < OF_ONE_CLIENT; i++) {
        Wire wire = open();
        waiting.add(wire);
        wire.send(getLinked("named", link("named", "device-" + i)));
      }
      eventually("they have their places", () -> waiting() == OF_ONE_CLIENT);
      try (Wire more = open()) {
        more.send(getLinked("named", link("named", "another-device")));
        assertThat(more.receive(true).status()).isEqualTo(503);
      }
      release("named");
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
      for (Wire wire : waiting) {
        assertThat(wire.receive(true).body()).isEqualTo(CONTENT);
      }
    } finally {
      for (Wire wire : waiting) {
        wire.close();
      }
    }
  }

  private String link(String repository) throws IOException, InterruptedException {
    return link(repository, "");
  }

  private String link(String repository, String device) throws IOException, InterruptedException {
    return JsonMapper.shared()
        .readTree(
            operator
                .json(
                    "POST",
                    "/api/v1/links",
                    "{\"repository\": \"%s\", \"path\": \"image\", \"expires\": \"1h\", \"device\": \"%s\"}"
                        .formatted(repository, device))
                .body())
        .get("url")
        .asString();
  }

  private void revokeLink(String link) throws IOException, InterruptedException {
    Matcher key = KEY.matcher(link);
    assertThat(key.find()).as(link).isTrue();
    operator.json("POST", "/api/v1/links/keys", "");
    assertThat(operator.delete("/api/v1/links/keys/" + key.group(1)).statusCode()).isEqualTo(204);
  }

  private static String getLinked(String repository, String link) {
    String query = link.substring(link.indexOf('?'));
    return get(repository).replace("/image ", "/image" + query + ' ');
  }

  private JsonNode deviceToken() throws IOException, InterruptedException {
    return JsonMapper.shared()
        .readTree(
            operator
                .json("POST", "/api/v1/tokens", "{\"name\": \"waiting\", \"role\": \"device\"}")
                .body());
  }

  private void revoke(JsonNode token) throws IOException, InterruptedException {
    assertThat(operator.delete("/api/v1/tokens/" + token.get("id").asString()).statusCode())
        .isEqualTo(204);
  }

  @Test
  void artifactThatIsDeletedWhileItWaitsIsGone() throws Exception {
    try (Wire running = occupy("deleted");
        Wire waiting = open()) {
      waiting.send(get("deleted"));
      eventually("it waits", () -> waiting() == 1);
      assertThat(operator.delete("/api/v1/repositories/deleted/artifacts/image").statusCode())
          .isEqualTo(204);
      release("deleted");
      assertThat(waiting.receive(true).status()).isEqualTo(410);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }
}

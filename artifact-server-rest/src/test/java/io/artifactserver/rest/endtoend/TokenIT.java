package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tokens with a role, a scope and an end, on a running server. */
@ExtendWith(SharedServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokenIT {
  private static final String SCOPED =
      "{\"name\":\"n\",\"role\":\"%s\",\"repositories\":[\"secret\"],\"paths\":[\"scoped/a\"]}";
  private static final String ARTIFACTS = "/api/v1/repositories/secret/artifacts";

  private PackagedServer server;
  private Operator operator;
  private HttpClient client;

  @BeforeAll
  void connect(PackagedServer shared) throws Exception {
    server = shared;
    operator = new Operator(server);
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    operator.put("secret", "scoped/a/1", SharedServer.TABLE);
    operator.put("secret", "scoped/ab/1", SharedServer.TABLE);
  }

  @AfterAll
  void disconnect() {
    client.close();
    operator.close();
  }

  @Test
  void aDeviceDownloadsInItsScopeOnly() throws Exception {
    String token = create(SCOPED.formatted("device")).get("token").asString();
    assertThat(send("GET", "/artifacts/secret/scoped/a/1", token, "")).isEqualTo(200);
    assertThat(send("GET", "/artifacts/secret/scoped/a/1.sha256", token, "")).isEqualTo(200);
    assertThat(send("HEAD", "/artifacts/secret/scoped/a/1", token, "")).isEqualTo(200);
    for (String other :
        new String[] {
          "/artifacts/secret/scoped/ab/1",
          "/artifacts/secret/scoped/ab/1.sha256",
          "/artifacts/secret/table.bin",
          "/artifacts/secret/scoped/absent",
          "/artifacts/absent/scoped/a/1",
        }) {
      assertThat(send("GET", other, token, "")).as(other).isEqualTo(404);
    }
  }

  @Test
  void aPublisherWorksInItsScopeOnly() throws Exception {
    String token = create(SCOPED.formatted("publisher")).get("token").asString();
    assertThat(send("PUT", ARTIFACTS + "/scoped/a/new", token, "bytes")).isEqualTo(201);
    assertThat(send("GET", ARTIFACTS + "/scoped/a/new", token, "")).isEqualTo(200);
    assertThat(send("DELETE", ARTIFACTS + "/scoped/a/new", token, "")).isEqualTo(204);
    for (String method : new String[] {"PUT", "GET", "DELETE"}) {
      assertThat(send(method, ARTIFACTS + "/scoped/ab/1", token, "")).isEqualTo(403);
      assertThat(send(method, ARTIFACTS + "/scoped/a%2F..%2Fab/1", token, "")).isIn(400, 403);
    }
    assertThat(body("GET", ARTIFACTS + "?prefix=scoped/", token))
        .contains("scoped/a/1")
        .doesNotContain("scoped/ab/1");
    assertThat(body("GET", "/api/v1/repositories", token))
        .contains("\"secret\"")
        .doesNotContain("\"name\":\"public\"");
    String link = "{\"repository\":\"secret\",\"path\":\"scoped/%s/1\",\"expires\":\"1h\"}";
    assertThat(send("POST", "/api/v1/links", token, link.formatted("a"))).isEqualTo(201);
    assertThat(send("POST", "/api/v1/links", token, link.formatted("ab"))).isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void aListTellsNothingOfWhatIsOutsideTheScope(int limit) throws Exception {
    operator.createRepository("listed", false);
    for (String path :
        new String[] {
          "board-a/1",
          "board-a/2",
          "board-a/3",
          "board-z",
          "board-a.hidden",
          "board-a0/hidden",
          "board-b/hidden-1",
          "board-b/hidden-2",
          "board-c/hidden",
          "a-hidden",
          "z-hidden"
        }) {
      assertThat(operator.put("listed", path, SharedServer.TABLE).statusCode()).isIn(200, 201);
    }
    String scope =
        "{\"name\":\"n\",\"role\":\"reader\",\"paths\":[\"board-a\",\"board-a/2\",\"board-z*\"]}";
    String token = create(scope).get("token").asString();
    for (String prefix : new String[] {"", "b", "board-"}) {
      List<String> paths = new ArrayList<>();
      String next =
          "/api/v1/repositories/listed/artifacts?prefix=%s&limit=%d".formatted(prefix, limit);
      while (!next.isEmpty()) {
        String page = body("GET", next, token);
        assertThat(page).doesNotContain("hidden");
        JsonNode list = JsonMapper.shared().readTree(page);
        next = list.path("next").asString("");
        list.get("artifacts").forEach(each -> paths.add(each.get("path").asString()));
        // A shorter page would tell that something lies there.
        assertThat(list.get("artifacts").size() == limit || next.isEmpty()).as(page).isTrue();
      }
      assertThat(paths).containsExactly("board-a/1", "board-a/2", "board-a/3", "board-z");
    }
    for (String nothing :
        new String[] {
          "prefix=board-b", "prefix=board-a.", "after=board-z", "after=board-a/3&prefix=board-a"
        }) {
      assertThat(body("GET", "/api/v1/repositories/listed/artifacts?limit=1&" + nothing, token))
          .isEqualTo("{\"artifacts\":[]}");
    }
  }

  /** Asked twice: the second time, what is there is in the server's memory. */
  @ParameterizedTest
  @ValueSource(strings = {"device", "reader", "publisher"})
  void whatIsOutsideTheScopeLooksLikeWhatIsNotThere(String role) throws Exception {
    operator.put("secret", "scoped/ab/2", Bytes.random(900, 44));
    String token = create(SCOPED.formatted(role)).get("token").asString();
    String link = "{\"repository\":\"secret\",\"path\":\"scoped/ab/2\",\"expires\":\"1h\"}";
    for (String[] row :
        new String[][] {
          {"GET", "/artifacts/secret/scoped/ab/2", ""},
          {"HEAD", "/artifacts/secret/scoped/ab/2", ""},
          {"GET", "/artifacts/secret/scoped/ab/2.sha256", ""},
          {"GET", "/artifacts/secret/scoped/ab/2.zsync", ""},
          {"GET", "/artifacts/secret/scoped/ab/2.castr/0000/" + "0".repeat(64), ""},
          {"GET", ARTIFACTS + "/scoped/ab/2", ""},
          {"GET", ARTIFACTS + "/scoped/a/1/delta?from=scoped/ab/2", ""},
          {"GET", ARTIFACTS + "/scoped/ab/2/delta?from=scoped/a/1", ""},
          {"GET", ARTIFACTS + "?prefix=scoped/ab/2", ""},
          {"PUT", ARTIFACTS + "/scoped/ab/2", "bytes"},
          {"DELETE", ARTIFACTS + "/scoped/ab/2", ""},
          {"POST", "/api/v1/links", link},
          {"GET", "/api/v1/progress?repository=secret&path=scoped/ab/2", ""},
          {"GET", "/api/v1/progress/summary?repository=secret&path=scoped/ab/2", ""},
          {"GET", "/api/v1/progress/events?repository=secret&path=scoped/ab/2", ""},
        }) {
      for (int i = 0; i < 2; i++) {
        operator.download("/artifacts/secret/scoped/ab/2");
        String there = answer(row[0], row[1], token, row[2]);
        String absent =
            answer(row[0], row[1].replace("ab/2", "ab/9"), token, row[2].replace("ab/2", "ab/9"));
        assertThat(there).as(row[1]).isEqualTo(absent.replace("ab/9", "ab/2"));
      }
    }
    assertThat(operator.download("/artifacts/secret/scoped/ab/2").statusCode()).isEqualTo(200);
  }

  @Test
  void aTokenEndsWhenItsTimeIsOver() throws Exception {
    Instant end;
    String token;
    int status;
    int seconds = 5;
    do {
      // A busy machine may need longer for the two requests.
      end = Instant.now().plusSeconds(seconds);
      token =
          create("{\"name\":\"short\",\"expires\":\"%s\"}".formatted(end)).get("token").asString();
      status = send("GET", "/artifacts/secret/table.bin", token, "");
      seconds *= 2;
    } while (status == 401 && Instant.now().isAfter(end) && seconds < 100);
    assertThat(status).isEqualTo(200);
    String expiring = token;
    eventually("it is over", () -> send("GET", "/artifacts/secret/table.bin", expiring, "") == 401);
    assertThat(Instant.now()).isAfter(end.minusSeconds(1));
    assertThat(send("GET", "/api/v1/repositories", token, "")).isEqualTo(401);
  }

  @Test
  void aRotatedTokenOverlapsAndThenEnds() throws Exception {
    JsonNode old = create(SCOPED.formatted("device"));
    String id = old.get("id").asString();
    HttpResponse<String> answer =
        operator.json("POST", "/api/v1/tokens/" + id + "/rotate", "{\"overlap\":\"1h\"}");
    assertThat(answer.statusCode()).isEqualTo(201);
    JsonNode rotated = JsonMapper.shared().readTree(answer.body());
    assertThat(rotated.get("id").asString()).isNotEqualTo(id);
    assertThat(rotated.get("paths").toString()).isEqualTo("[\"scoped/a\"]");
    String path = "/artifacts/secret/scoped/a/1";
    assertThat(send("GET", path, old.get("token").asString(), "")).isEqualTo(200);
    assertThat(send("GET", path, rotated.get("token").asString(), "")).isEqualTo(200);
    assertThat(send("GET", "/artifacts/secret/table.bin", rotated.get("token").asString(), ""))
        .isEqualTo(404);
    operator.json("POST", "/api/v1/tokens/" + id + "/rotate", "{\"overlap\":\"0s\"}");
    assertThat(send("GET", path, old.get("token").asString(), "")).isEqualTo(401);
    assertThat(operator.json("POST", "/api/v1/tokens/absent/rotate", "").statusCode())
        .isEqualTo(404);
  }

  @Test
  void tokensAreListedInPagesByCreation() throws Exception {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      made.add(create("{\"name\":\"paged\"}").get("id").asString());
    }
    HttpResponse<String> whole = operator.get("/api/v1/tokens");
    assertThat(ids(whole)).containsSubsequence(made);
    assertThat(whole.body()).doesNotContain("\"next\"");
    assertThat(whole.headers().firstValue("Link")).isEmpty();
    List<String> found = new ArrayList<>();
    String next = "/api/v1/tokens?limit=2";
    while (!next.isEmpty()) {
      HttpResponse<String> page = operator.get(next);
      assertThat(page.statusCode()).as(next).isEqualTo(200);
      next = JsonMapper.shared().readTree(page.body()).path("next").asString("");
      assertThat(page.headers().firstValue("Link").orElse(""))
          .isEqualTo(next.isEmpty() ? "" : "<" + next + ">; rel=\"next\"");
      assertThat(ids(page)).hasSizeBetween(next.isEmpty() ? 1 : 2, 2);
      found.addAll(ids(page));
    }
    assertThat(found).isEqualTo(ids(whole));
  }

  private static List<String> ids(HttpResponse<String> page) {
    return JsonMapper.shared()
        .readTree(page.body())
        .get("tokens")
        .valueStream()
        .map(token -> token.get("id").asString())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=0",
        "limit=1001",
        "limit=many",
        "after=x",
        "after=-1-x",
        "after=1700000000000000-",
        "after=1700000000000000-a%00",
        "after=999999999999999999-x",
        "after=2026-01-01T00:00:00Z"
      })
  void pagesOutOfBoundsAreRefused(String query) throws Exception {
    HttpResponse<String> refused = operator.get("/api/v1/tokens?" + query);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("\"status\":400", "\"detail\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\":\"n\",\"role\":\"root\"}",
        "{\"name\":\"n\",\"role\":\"admin\",\"repositories\":[\"secret\"]}",
        "{\"name\":\"n\",\"role\":\"admin\",\"paths\":[\"x\"]}",
        "{\"name\":\"n\",\"paths\":[\"\"]}",
        "{\"name\":\"n\",\"paths\":[\"/x\"]}",
        "{\"name\":\"n\",\"expires\":\"soon\"}",
        "{\"name\":\"n\",\"expires\":\"2020-01-01T00:00:00Z\"}",
      })
  void badTokensAreNotMade(String body) throws Exception {
    assertThat(operator.json("POST", "/api/v1/tokens", body).statusCode()).isEqualTo(400);
  }

  @Test
  void anOperatorOfBeforeIsAnAdmin() throws Exception {
    JsonNode token = create("{\"name\":\"old script\",\"role\":\"operator\"}");
    assertThat(token.get("role").asString()).isEqualTo("admin");
    assertThat(send("GET", "/api/v1/tokens", token.get("token").asString(), "")).isEqualTo(200);
  }

  @Test
  void aFloodOfWrongSecretsIsSlowedDownAndAGoodTokenIsNot() throws Exception {
    JsonNode good = create("{\"name\":\"good\"}");
    String token = good.get("token").asString();
    String path = "/artifacts/secret/table.bin";
    assertThat(send("GET", path, token, "")).isEqualTo(200);
    String wrong = "as_" + good.get("id").asString() + "_" + "0".repeat(64);
    List<Integer> answers = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      answers.add(send("GET", path, wrong, ""));
      assertThat(send("GET", path, token, "")).isEqualTo(200);
    }
    assertThat(answers).containsOnly(401, 429).contains(401, 429);
    // desync gives up at a 429.
    String chunk = "/artifacts/secret/default.castr/0000/" + "0".repeat(64) + ".cacnk";
    List<Integer> ofChunk = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      ofChunk.add(send("GET", chunk, wrong, ""));
    }
    assertThat(ofChunk).isSubsetOf(401, 503).contains(503);
    // The words of a proxy about addresses change nothing: nobody is asked.
    assertThat(
            client
                .send(
                    HttpRequest.newBuilder(server.uri(path))
                        .header("Authorization", "Bearer " + token)
                        .header("X-Forwarded-For", "203.0.113.7")
                        .build(),
                    BodyHandlers.discarding())
                .statusCode())
        .isEqualTo(200);
  }

  private JsonNode create(String body) throws IOException, InterruptedException {
    HttpResponse<String> answer = operator.json("POST", "/api/v1/tokens", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return JsonMapper.shared().readTree(answer.body());
  }

  private int send(String method, String path, String token, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri(path))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }

  /** All that a client sees, but for the time, the id, and whether its body came too late. */
  private String answer(String method, String path, String token, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri(path))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
    Map<String, List<String>> fields = new TreeMap<>(answer.headers().map());
    fields.keySet().removeAll(List.of("date", "x-request-id", "connection"));
    return answer.statusCode() + " " + fields + " " + answer.body();
  }

  private String body(String method, String path, String token)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri(path))
            .header("Authorization", "Bearer " + token)
            .method(method, BodyPublishers.noBody())
            .build();
    return client.send(request, BodyHandlers.ofString()).body();
  }
}

package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Nobody deletes an artifact that is held, and nobody shortens a hold. */
class HoldIT {
  private static final byte[] BYTES = Bytes.random(50_000, 311);
  private static final byte[] OTHERS = Bytes.random(50_000, 312);
  private static final String API = "/api/v1/repositories/held/artifacts/";
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

  @TempDir private static Path folder;

  private static PackagedServer server;
  private static Operator operator;

  /** A server that sweeps all the time, and at once. */
  @BeforeAll
  static void start() throws Exception {
    server =
        PackagedServer.start(
            folder.resolve("data"),
            "--artifact-server.retire.grace-period=0s",
            "--artifact-server.retire.sweep-interval=200ms",
            "--artifact-server.catalog.cache-ttl=0s");
    operator = new Operator(server);
    operator.json(
        "POST",
        "/api/v1/repositories",
        "{\"name\": \"held\", \"public\": true, \"encrypted\": false, \"mutable\": true}");
  }

  @AfterAll
  static void stop() {
    operator.close();
    server.close();
  }

  /** The requests come from the application's own mappings: a new one is among them. */
  @Test
  void noEndpointTakesAHeldArtifactAwayWhateverTheRole() throws Exception {
    String end = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS).toString();
    assertThat(operator.put("held", "fw.img", BYTES).statusCode()).isEqualTo(201);
    assertThat(hold("fw.img", end, "recall 7").statusCode()).isEqualTo(200);
    List<String> wrong = new ArrayList<>();
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      for (Map.Entry<String, @Nullable String> token : tokens().entrySet()) {
        for (String endpoint : changing()) {
          send(client, endpoint, token.getValue());
          HttpResponse<byte[]> download = operator.download("/artifacts/held/fw.img");
          if (download.statusCode() != 200
              || !Arrays.equals(download.body(), BYTES)
              || !end.equals(described("fw.img").path("hold").path("until").asString(""))) {
            wrong.add("%s by %s".formatted(endpoint, token.getKey()));
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    HttpResponse<String> refused = operator.delete(API + "fw.img");
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("Held", "held/fw.img", end, "recall 7", "extend");
    assertThat(operator.put("held", "fw.img", OTHERS).statusCode()).isEqualTo(409);
  }

  @Test
  void aHoldIsExtendedNotShortenedAndWrittenDown() throws Exception {
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    assertThat(operator.put("held", "a/1.img", BYTES).statusCode()).isEqualTo(201);
    String first = now.plusSeconds(3_600).toString();
    String end = now.plusSeconds(3_601).toString();
    assertThat(hold("a/1.img", now.minusSeconds(9).toString(), "past").statusCode()).isEqualTo(400);
    assertThat(hold("a/1.img", "3026-01-01T00:00:00Z", "a slip").statusCode()).isEqualTo(400);
    assertThat(hold("a/1.img", first, "first").statusCode()).isEqualTo(200);
    HttpResponse<String> extended = hold("a/1.img", end, "second");
    assertThat(extended.statusCode()).isEqualTo(200);
    assertThat(json(extended).at("/hold/reason").asString()).isEqualTo("second");
    HttpResponse<String> shorter = hold("a/1.img", first, "third");
    assertThat(shorter.statusCode()).isEqualTo(409);
    assertThat(shorter.body()).contains("second", end);
    assertThat(hold("a/none", end, "x").statusCode()).isEqualTo(404);
    for (String body :
        List.of("{}", "{\"until\": \"%s\"}".formatted(end), "{\"reason\": \"x\"}", "[]", "x")) {
      assertThat(operator.json("PUT", API + "a/1.img/hold", body).statusCode())
          .as(body)
          .isEqualTo(400);
    }
    assertThat(operator.get("/api/v1/repositories/held/artifacts?held=true").body())
        .contains("a/1.img", end);
    assertThat(described("a/1.img").at("/hold/until").asString()).isEqualTo(end);
    List<JsonNode> audit =
        operator.get("/api/v1/audit").body().lines().map(HoldIT::parsed).toList();
    assertThat(audit)
        .map(entry -> entry.get("event"))
        .filteredOn(event -> event.path("path").asString("").endsWith("a/1.img/hold"))
        .filteredOn(event -> event.path("status").asInt() == 200)
        .last()
        .satisfies(event -> {
          assertThat(event.at("/before/hold/reason").asString()).isEqualTo("first");
          assertThat(event.at("/after/hold/reason").asString()).isEqualTo("second");
        });
    assertThat(operator.delete(API + "a/1.img").statusCode()).isEqualTo(409);
  }

  @Test
  void aSecurityUpdateIsHeldForTenYears() throws Exception {
    assertThat(operator.put("held", "b/1.img", BYTES).statusCode()).isEqualTo(201);
    String address = API + "b/1.img/support";
    JsonNode feature =
        json(operator.json("PUT", address, "{\"release\": \"feature\", \"end\": \"2030-01\"}"));
    assertThat(feature.at("/support/release").asString()).isEqualTo("feature");
    assertThat(feature.has("hold")).isFalse();
    String security = "{\"release\": \"security\", \"end\": \"2030-01\"}";
    HttpResponse<String> first = operator.json("PUT", address, security);
    assertThat(Instant.parse(json(first).at("/hold/until").asString()))
        .isAfter(Instant.now().plus(3_651, ChronoUnit.DAYS));
    // Asked again, it is not extended.
    assertThat(operator.json("PUT", address, security).body()).isEqualTo(first.body());
    assertThat(operator.delete(API + "b/1.img").statusCode()).isEqualTo(409);
    for (String body :
        List.of(
            "{}",
            "{\"release\": \"other\", \"end\": \"2030-01\"}",
            "{\"release\": \"security\", \"end\": \"2030-13\"}",
            "{\"release\": \"security\", \"end\": \"9999-12\"}")) {
      assertThat(operator.json("PUT", address, body).statusCode()).as(body).isEqualTo(400);
    }
    assertThat(operator.json("PUT", API + "b/none/support", security).statusCode()).isEqualTo(404);
  }

  @Test
  void onlyAdminsHoldAndAScopeSeesItsOwnHolds() throws Exception {
    String end = Instant.now().plus(1, ChronoUnit.HOURS).toString();
    operator.put("held", "c/1.img", BYTES);
    operator.put("held", "d/1.img", BYTES);
    assertThat(hold("c/1.img", end, "x").statusCode()).isEqualTo(200);
    assertThat(hold("d/1.img", end, "secret words").statusCode()).isEqualTo(200);
    String scope = "\"repositories\":[\"held\"],\"paths\":[\"c\"]";
    String body = "{\"until\": \"%s\", \"reason\": \"x\"}".formatted(end);
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (String role : List.of("device", "reader", "publisher")) {
        String token = token(role, scope);
        for (String address : List.of("c/1.img/hold", "c/1.img/support", "d/1.img/hold")) {
          HttpRequest.Builder request =
              HttpRequest.newBuilder(server.uri(API + address))
                  .header("Authorization", "Bearer " + token)
                  .header("Content-Type", "application/json")
                  .PUT(BodyPublishers.ofString(body));
          HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
          assertThat(answer.statusCode()).as(role + " " + address).isEqualTo(403);
          assertThat(answer.body()).contains("admin");
        }
        HttpResponse<String> list =
            client.send(
                HttpRequest.newBuilder(server.uri("/api/v1/repositories/held/artifacts?held=true"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                BodyHandlers.ofString());
        assertThat(list.statusCode()).isEqualTo(role.equals("device") ? 403 : 200);
        assertThat(list.body()).doesNotContain("d/1.img", "secret words");
      }
    }
  }

  private static HttpResponse<String> hold(String path, String until, String reason)
      throws IOException, InterruptedException {
    return operator.json(
        "PUT",
        API + path + "/hold",
        "{\"until\": \"%s\", \"reason\": \"%s\"}".formatted(until, reason));
  }

  private static JsonNode described(String path) throws IOException, InterruptedException {
    return json(operator.get(API + path));
  }

  private static JsonNode json(HttpResponse<String> response) {
    return parsed(response.body());
  }

  private static JsonNode parsed(String text) {
    return JsonMapper.shared().readTree(text);
  }

  private static Map<String, @Nullable String> tokens() throws IOException, InterruptedException {
    Map<String, @Nullable String> tokens = new LinkedHashMap<>();
    tokens.put("nobody", null);
    for (String role : List.of("device", "reader", "publisher", "admin")) {
      tokens.put(role, token(role, "\"repositories\":[\"held\"]"));
    }
    return tokens;
  }

  private static String token(String role, String scope) throws IOException, InterruptedException {
    return json(operator.json(
            "POST",
            "/api/v1/tokens",
            "{\"name\":\"attacker\",\"role\":\"%s\",%s}"
                .formatted(role, role.equals("admin") ? "\"expires\":\"1h\"" : scope)))
        .get("token")
        .asString();
  }

  /** All that are no mere questions. */
  private static List<String> changing() throws IOException, InterruptedException {
    List<String> endpoints = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path :
        json(operator.get("/v3/api-docs")).get("paths").properties()) {
      for (String method : path.getValue().propertyNames()) {
        if (!READING.contains(method.toUpperCase(Locale.ROOT))) {
          endpoints.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
        }
      }
    }
    assertThat(endpoints).hasSizeGreaterThan(20);
    return endpoints;
  }

  private static void send(HttpClient client, String endpoint, @Nullable String token)
      throws IOException, InterruptedException {
    String[] words = endpoint.split(" ", 2);
    String path =
        words[1]
            .replace("{repository}", "held")
            .replace("{path}", "fw.img")
            .replace("{name}", "held")
            .replaceAll("\\{[^}]+}", "0");
    String earlier = Instant.now().plusSeconds(60).toString();
    String body =
        path.endsWith("/hold") ? "{\"until\": \"%s\", \"reason\": \"x\"}".formatted(earlier) : "{}";
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri(path))
            .header("Content-Type", "application/json")
            .method(words[0], BodyPublishers.ofString(body));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    client.send(request.build(), BodyHandlers.discarding());
  }
}

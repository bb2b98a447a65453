package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every endpoint of the running application against every role. The endpoints come from the
 * application's own mappings: one that is new and has no row here fails the test.
 */
@ExtendWith(SharedServer.class)
class EndpointRolesIT {
  /** From the least to the most. */
  private static final List<String> ROLES = List.of("device", "reader", "publisher", "admin");

  /** The least role that each endpoint lets in; or nobody, where it takes no token. */
  private static final Map<String, String> LEAST =
      Map.ofEntries(
          Map.entry("GET /api/v1/repositories", "reader"),
          Map.entry("POST /api/v1/repositories", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}", "reader"),
          Map.entry("PATCH /api/v1/repositories/{repository}", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/encryption", "admin"),
          Map.entry("POST /api/v1/repositories/{repository}/encryption", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/artifacts", "reader"),
          Map.entry("GET /api/v1/repositories/{repository}/artifacts/{path}", "reader"),
          Map.entry("PUT /api/v1/repositories/{repository}/artifacts/{path}", "publisher"),
          Map.entry("POST /api/v1/repositories/{repository}/artifacts/{path}", "publisher"),
          Map.entry("DELETE /api/v1/repositories/{repository}/artifacts/{path}", "publisher"),
          Map.entry("GET /api/v1/repositories/{repository}/channels", "reader"),
          Map.entry("GET /api/v1/repositories/{repository}/channels/{channel}", "reader"),
          Map.entry("GET /api/v1/repositories/{repository}/channels/{channel}/history", "reader"),
          Map.entry("PUT /api/v1/repositories/{repository}/channels/{channel}", "publisher"),
          Map.entry("DELETE /api/v1/repositories/{repository}/channels/{channel}", "publisher"),
          Map.entry(
              "POST /api/v1/repositories/{repository}/channels/{channel}/rollback", "publisher"),
          Map.entry("POST /api/v1/repositories/{repository}/channels/{channel}/pause", "publisher"),
          Map.entry(
              "POST /api/v1/repositories/{repository}/channels/{channel}/resume", "publisher"),
          Map.entry("PUT /api/v1/repositories/{repository}/artifacts/{path}/hold", "admin"),
          Map.entry("PUT /api/v1/repositories/{repository}/artifacts/{path}/support", "admin"),
          Map.entry(
              "POST /api/v1/repositories/{repository}/artifacts/{path}/undelete", "publisher"),
          Map.entry("GET /api/v1/repositories/{repository}/artifacts/{path}/attachments", "reader"),
          Map.entry(
              "POST /api/v1/repositories/{repository}/artifacts/{path}/attachments", "publisher"),
          Map.entry(
              "GET /api/v1/repositories/{repository}/artifacts/{path}/attachments/{digest}",
              "reader"),
          Map.entry(
              "DELETE /api/v1/repositories/{repository}/artifacts/{path}/attachments/{digest}",
              "publisher"),
          Map.entry("GET /api/v1/repositories/{repository}/release-keys", "reader"),
          Map.entry("PUT /api/v1/repositories/{repository}/release-keys", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/retention", "admin"),
          Map.entry("PUT /api/v1/repositories/{repository}/retention", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/retention/preview", "admin"),
          Map.entry("POST /api/v1/repositories/{repository}/retention/activation", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/webhooks", "admin"),
          Map.entry("POST /api/v1/repositories/{repository}/webhooks", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/webhooks/{id}", "admin"),
          Map.entry("PATCH /api/v1/repositories/{repository}/webhooks/{id}", "admin"),
          Map.entry("DELETE /api/v1/repositories/{repository}/webhooks/{id}", "admin"),
          Map.entry("POST /api/v1/repositories/{repository}/webhooks/{id}/secret", "admin"),
          Map.entry("POST /api/v1/repositories/{repository}/webhooks/{id}/ping", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/webhooks/{id}/deliveries", "admin"),
          Map.entry(
              "POST /api/v1/repositories/{repository}/webhooks/{id}/deliveries/{delivery}/redeliver",
              "admin"),
          Map.entry("GET /api/v1/encryption/keys", "admin"),
          Map.entry("POST /api/v1/encryption/keys", "admin"),
          Map.entry("DELETE /api/v1/encryption/keys/{id}", "admin"),
          Map.entry("GET /api/v1/tokens", "admin"),
          Map.entry("POST /api/v1/tokens", "admin"),
          Map.entry("POST /api/v1/tokens/{id}/rotate", "admin"),
          Map.entry("PUT /api/v1/tokens/{id}/labels", "admin"),
          Map.entry("DELETE /api/v1/tokens/{id}", "admin"),
          Map.entry("GET /api/v1/sign-in", "nobody"),
          Map.entry("POST /api/v1/sign-in", "nobody"),
          Map.entry("GET /api/v1/uploads", "admin"),
          Map.entry("POST /api/v1/uploads", "publisher"),
          Map.entry("HEAD /api/v1/uploads/{id}", "publisher"),
          Map.entry("PATCH /api/v1/uploads/{id}", "publisher"),
          Map.entry("DELETE /api/v1/uploads/{id}", "publisher"),
          Map.entry("GET /api/v1/fetches", "publisher"),
          Map.entry("POST /api/v1/fetches", "publisher"),
          Map.entry("GET /api/v1/fetches/{id}", "publisher"),
          Map.entry("DELETE /api/v1/fetches/{id}", "publisher"),
          Map.entry("POST /api/v1/links", "publisher"),
          Map.entry("GET /api/v1/audit", "admin"),
          Map.entry("GET /api/v1/connection", "admin"),
          Map.entry("GET /api/v1/progress", "admin"),
          Map.entry("GET /api/v1/progress/affected", "admin"),
          Map.entry("GET /api/v1/progress/events", "admin"),
          Map.entry("GET /api/v1/progress/summary", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/quota", "admin"),
          Map.entry("PUT /api/v1/repositories/{repository}/quota", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/limits", "admin"),
          Map.entry("PUT /api/v1/repositories/{repository}/limits", "admin"),
          Map.entry("GET /api/v1/limits", "admin"),
          Map.entry("GET /api/v1/limits/{name}", "admin"),
          Map.entry("PUT /api/v1/limits/{name}", "admin"),
          Map.entry("DELETE /api/v1/limits/{name}", "admin"),
          Map.entry("GET /api/v1/repositories/{repository}/forms", "admin"),
          Map.entry("PUT /api/v1/repositories/{repository}/forms", "admin"),
          Map.entry("DELETE /api/v1/repositories/{repository}/forms", "admin"),
          Map.entry("GET /api/v1/links/keys", "admin"),
          Map.entry("POST /api/v1/links/keys", "admin"),
          Map.entry("DELETE /api/v1/links/keys/{id}", "admin"));

  /** Beside the API document: not described in it, and for admins, but the document itself. */
  private static final Map<String, String> OTHERS =
      Map.of(
          "GET /v3/api-docs", "reader",
          "GET /v3/api-docs.yaml", "admin",
          "GET /actuator", "admin",
          "GET /actuator/prometheus", "admin",
          "GET /api/v1/nothing", "admin",
          "GET /api/v1/uploads/{id}", "publisher",
          "POST /error", "admin");

  @Test
  void everyEndpointLetsInWhomItShould(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      Map<String, String> tokens = tokens(operator);
      Set<String> endpoints = endpoints(operator);
      assertThat(endpoints)
          .as("Endpoints of the application and rows of this table: give a new endpoint its role")
          .isEqualTo(new TreeSet<>(LEAST.keySet()));
      Map<String, String> all = new LinkedHashMap<>(LEAST);
      all.putAll(OTHERS);
      List<String> wrong = new ArrayList<>();
      for (Map.Entry<String, String> row : all.entrySet()) {
        int ofNobody = ask(server, client, row.getKey(), null);
        if ((ofNobody == 401) == row.getValue().equals("nobody")) {
          wrong.add("%s answers nobody with %d".formatted(row.getKey(), ofNobody));
        }
        for (String role : ROLES) {
          boolean isLetIn = ROLES.indexOf(role) >= ROLES.indexOf(row.getValue());
          // An admin's request would do something, and is tested elsewhere.
          if (role.equals("admin") && !row.getKey().startsWith("GET ")) {
            continue;
          }
          int status = ask(server, client, row.getKey(), tokens.get(role));
          if (isLetIn == (status == 401 || status == 403)) {
            wrong.add("%s answers a %s with %d".formatted(row.getKey(), role, status));
          }
        }
      }
      assertThat(wrong).isEmpty();
    }
  }

  private static Map<String, String> tokens(Operator operator)
      throws IOException, InterruptedException {
    Map<String, String> tokens = new LinkedHashMap<>();
    for (String role : ROLES) {
      HttpResponse<String> made =
          operator.json(
              "POST",
              "/api/v1/tokens",
              "{\"name\":\"table\",\"role\":\"%s\",\"expires\":\"1h\"}".formatted(role));
      tokens.put(role, JsonMapper.shared().readTree(made.body()).get("token").asString());
    }
    return tokens;
  }

  /** As the application's mappings describe themselves. */
  private static Set<String> endpoints(Operator operator) throws IOException, InterruptedException {
    JsonNode paths = JsonMapper.shared().readTree(operator.get("/v3/api-docs").body()).get("paths");
    Set<String> endpoints = new TreeSet<>();
    paths
        .properties()
        .forEach(path ->
            path.getValue()
                .propertyNames()
                .forEach(method ->
                    endpoints.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    return endpoints;
  }

  /** Names that nothing has; where one is created, a body that is refused. */
  private static int ask(
      PackagedServer server, HttpClient client, String endpoint, @Nullable String token)
      throws IOException, InterruptedException {
    String[] words = endpoint.split(" ", 2);
    String path =
        words[1]
            .replace("{repository}", "absent")
            .replace("{path}", "absent/x")
            .replace("{name}", "absent")
            .replace("{channel}", "absent")
            .replace("{digest}", "0".repeat(64))
            .replace("{delivery}", "0")
            .replace("{id}", "0");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri(path))
            .header("Content-Type", "application/json")
            .method(
                words[0],
                words[0].equals("GET") || words[0].equals("DELETE")
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString("{}"));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
  }
}

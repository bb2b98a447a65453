package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Open pages of the console are told what happens. */
class ConsoleLiveIT extends ProgressFixture {
  private static final String SERVER = "/console/events";

  @Test
  void aPageOfAnArtifactSeesItsDevices(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      upload(operator, "watched", LENGTH);
      String page = SERVER + "?repository=public&path=progress/watched";
      HttpResponse<Stream<String>> events =
          client.send(request(server, page, server.operatorToken()), BodyHandlers.ofLines());
      assertThat(events.statusCode()).isEqualTo(200);
      try (Stream<String> lines = events.body()) {
        List<JsonNode> told = new ArrayList<>();
        var each = lines.iterator();
        while (told.isEmpty() || told.getLast().get("all").asInt() == 0) {
          String line = each.next();
          if (line.startsWith("data:")) {
            told.add(JsonMapper.shared().readTree(line.substring("data:".length())));
            if (told.size() == 1) {
              get(
                  server,
                  "/artifacts/public/progress/watched",
                  "RAUC-Serial",
                  "watched-half",
                  "Range",
                  "bytes=0-" + (LENGTH / 2 - 1));
              get(server, "/artifacts/public/progress/watched", "RAUC-Serial", "watched-whole");
            }
          }
        }
        assertThat(told.getFirst().get("map").get(0).asInt()).isZero();
        JsonNode last = told.getLast();
        assertThat(last.get("map").size()).isEqualTo(200);
        assertThat(last.get("map").get(0).asInt()).isEqualTo(100);
        assertThat(last.get("map").get(199).asInt()).isEqualTo(50);
        assertThat(last.get("text").asString()).contains("75.0 %");
      }
      Browser browser = new Browser(server, client);
      browser.signIn(server.operatorToken());
      String rollout =
          browser.get("/console/rollout?repository=public&path=progress/watched").body();
      assertThat(rollout).contains("data-testid=\"range-map\"", ">watched-half<", "50.0 %");
      assertThat(browser.get("/console/device?name=watched-half").body())
          .contains("50.0 %", "watched");
      assertThat(browser.get("/console/device?name=nobody").body()).contains("No device");
      assertThat(browser.get("/console/rollout?repository=public&path=absent").statusCode())
          .isEqualTo(404);
    }
  }

  @Test
  void otherRolesSeeNothingOfTheServer(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      String publisher = made(operator, "publisher").get("token").asString();
      Browser browser = new Browser(server, client);
      browser.signIn(publisher);
      assertThat(browser.get("/console/").headers().firstValue("Location").orElseThrow())
          .endsWith("/console/repositories");
      for (String path :
          List.of(
              SERVER,
              "/console/rollout",
              "/console/device?name=a",
              "/console/jobs",
              "/console/storage",
              "/console/nothing")) {
        assertThat(browser.get(path).statusCode()).as(path).isEqualTo(403);
        HttpResponse<Void> nobody =
            client.send(
                HttpRequest.newBuilder(server.uri(path)).build(), BodyHandlers.discarding());
        assertThat(nobody.statusCode()).as(path).isEqualTo(path.equals(SERVER) ? 401 : 303);
      }
    }
  }

  @Test
  void anAdminSeesJobsAndStorage(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      operator.createRepository("bounded", true);
      operator.json("PUT", "/api/v1/repositories/bounded/quota", "{\"bytes\": 4194304}");
      operator.put("bounded", "a", Bytes.random(1 << 20, 1));
      Browser browser = new Browser(server, client);
      browser.signIn(server.operatorToken());
      String storage = browser.get("/console/storage?after=a").body();
      assertThat(storage)
          .contains(">bounded<", "1.0 MiB", "25.0 % of 4.0 MiB", "Free on the disk", "accepted");
      assertThat(browser.get("/console/storage?after=zz").body()).contains("no repository");
      // A server that has just been started has done nothing yet.
      eventuallyPasses(
          "jobs are done",
          () ->
              assertThat(browser.get("/console/jobs").body())
                  .contains("Deletes releases", ">retention<", "1 hour")
                  .contains("10 seconds", "Done")
                  .doesNotContain("Failed"));
    }
  }

  @Test
  void anOpenPageEndsWithItsToken(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      JsonNode admin = made(operator, "admin");
      HttpResponse<Stream<String>> events =
          client.send(
              request(server, SERVER, admin.get("token").asString()), BodyHandlers.ofLines());
      assertThat(events.statusCode()).isEqualTo(200);
      operator.delete("/api/v1/tokens/" + admin.get("id").asString());
      // Ends by itself; else the test would.
      assertThat(events.body().count()).isPositive();
    }
  }

  /** Its token is good for others still. */
  @Test
  void anOpenPageEndsWithItsSession(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient();
        Browser browser = new Browser(server, client)) {
      browser.signIn(made(operator, "admin").get("token").asString());
      String change = browser.changeToken();
      String cookies =
          browser.cookies().entrySet().stream()
              .map(cookie -> cookie.getKey() + '=' + cookie.getValue())
              .collect(Collectors.joining("; "));
      HttpResponse<Stream<String>> events =
          client.send(
              HttpRequest.newBuilder(server.uri(SERVER)).header("Cookie", cookies).build(),
              BodyHandlers.ofLines());
      assertThat(events.statusCode()).isEqualTo(200);
      assertThat(browser.send("POST", "/console/sign-out", "", "X-CSRF-Token", change).statusCode())
          .isEqualTo(204);
      // Ends by itself; else the test would.
      assertThat(events.body().count()).isPositive();
    }
  }

  /** With tokens of its own: a page of another test may not have been found gone yet. */
  @Test
  void onlySoManyPagesAreOpen(PackagedServer server) throws Exception {
    List<HttpResponse<InputStream>> open = new ArrayList<>();
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      String token = made(operator, "admin").get("token").asString();
      try {
        HttpResponse<InputStream> last;
        do {
          last = client.send(request(server, SERVER, token), BodyHandlers.ofInputStream());
          open.add(last);
        } while (last.statusCode() == 200 && open.size() < 200);
        assertThat(last.statusCode()).isEqualTo(503);
        assertThat(open).as("half of all places").hasSize(65);
        String other = made(operator, "admin").get("token").asString();
        open.add(client.send(request(server, SERVER, other), BodyHandlers.ofInputStream()));
        assertThat(open.getLast().statusCode()).as("of another token").isEqualTo(200);
      } finally {
        // The client waits for all of them.
        for (HttpResponse<InputStream> each : open) {
          each.body().close();
        }
      }
      eventuallyPasses(
          "there is room again",
          () -> {
            HttpResponse<InputStream> again =
                client.send(request(server, SERVER, token), BodyHandlers.ofInputStream());
            again.body().close();
            assertThat(again.statusCode()).isEqualTo(200);
          });
    }
  }

  private static JsonNode made(Operator operator, String role) throws Exception {
    return JsonMapper.shared()
        .readTree(
            operator
                .json(
                    "POST",
                    "/api/v1/tokens",
                    "{\"name\": \"live\", \"role\": \"%s\"}".formatted(role))
                .body());
  }

  private static HttpRequest request(PackagedServer server, String path, String token) {
    return HttpRequest.newBuilder(server.uri(path))
        .header("Authorization", "Bearer " + token)
        .build();
  }
}

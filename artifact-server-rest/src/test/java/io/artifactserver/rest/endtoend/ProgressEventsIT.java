package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.waiting.Eventually;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Listeners are told of the progress of devices. */
class ProgressEventsIT extends ProgressFixture {
  @Test
  void whoListensIsToldOfEachDevice(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      upload(operator, "followed", LENGTH);
      HttpResponse<Stream<String>> events =
          client.send(
              follow(server, "followed", operator.adminToken("follower")), BodyHandlers.ofLines());
      assertThat(events.statusCode()).isEqualTo(200);
      assertThat(events.headers().firstValue("Content-Type").orElseThrow())
          .startsWith("text/event-stream");
      assertThat(events.headers().firstValue("X-Accel-Buffering")).contains("no");
      String path = "/artifacts/public/progress/followed";
      get(server, path, "RAUC-Serial", "first", "Range", "bytes=0-999");
      get(server, path, "RAUC-Serial", "second");
      upload(operator, "not-followed", 1000);
      get(server, "/artifacts/public/progress/not-followed", "RAUC-Serial", "third");
      List<String> told = new ArrayList<>();
      try (Stream<String> lines = events.body()) {
        Iterator<String> each = lines.iterator();
        while (told.stream().noneMatch(line -> line.contains("second"))
            || told.stream().noneMatch(line -> line.contains("first"))) {
          told.add(each.next());
        }
      }
      assertThat(told).contains("event:progress");
      assertThat(told)
          .anyMatch(line ->
              line.startsWith(
                  "data:{\"device\":\"first\",\"bytes\":1000,\"length\":3000000,\"complete\":false"))
          .anyMatch(line ->
              line.startsWith(
                  "data:{\"device\":\"second\",\"bytes\":3000000,\"length\":3000000,\"complete\":true"))
          .noneMatch(line -> line.contains("third"));
    }
  }

  @Test
  void onlySoManyCanListen(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      upload(operator, "crowded", 1000);
      double before = operator.metric("artifact_server_connections");
      String crowd = operator.adminToken("crowd");
      String other = operator.adminToken("other");
      List<HttpResponse<InputStream>> listening = new ArrayList<>();
      try (HttpClient client =
          HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
        HttpResponse<InputStream> last;
        do {
          last = client.send(follow(server, "crowded", crowd), BodyHandlers.ofInputStream());
          listening.add(last);
        } while (last.statusCode() == 200 && listening.size() < 100);
        assertThat(last.statusCode()).isEqualTo(503);
        assertThat(new String(last.body().readAllBytes(), StandardCharsets.UTF_8))
            .contains("Too many listeners");
        assertThat(listening).as("and not all places, of which there are 64").hasSize(17);
        listening.add(client.send(follow(server, "crowded", other), BodyHandlers.ofInputStream()));
        assertThat(listening.getLast().statusCode()).as("of another token").isEqualTo(200);
        // All others still have their answers.
        assertThat(operator.get("/api/v1/repositories").statusCode()).isEqualTo(200);
        for (HttpResponse<InputStream> each : listening) {
          each.body().close();
        }
      }
      // A listener that has gone is noticed with the next event.
      Eventually.eventuallyPasses(
          "There is room again",
          () -> {
            get(server, "/artifacts/public/progress/crowded", "RAUC-Serial", "any");
            try (HttpClient client = HttpClient.newHttpClient()) {
              HttpResponse<InputStream> again =
                  client.send(follow(server, "crowded", crowd), BodyHandlers.ofInputStream());
              again.body().close();
              assertThat(again.statusCode()).isEqualTo(200);
            }
          });
      AtomicInteger devices = new AtomicInteger();
      // Only so many names are kept of one address, and this may take some hundreds.
      InetAddress address = InetAddress.getByName("127.0.0.3");
      Eventually.eventuallyPasses(
          "Their connections are closed",
          () -> {
            String device = "device-" + devices.incrementAndGet();
            get(address, server, "/artifacts/public/progress/crowded", "RAUC-Serial", device);
            assertThat(operator.metric("artifact_server_connections")).isLessThan(before + 5);
          });
    }
  }

  @Test
  void whoseTokenIsRevokedIsToldNothingMore(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      upload(operator, "confidential", 1000);
      String created =
          operator
              .json("POST", "/api/v1/tokens", "{\"name\": \"listener\", \"role\": \"admin\"}")
              .body();
      Matcher token = TOKEN.matcher(created);
      assertThat(token.find()).as(created).isTrue();
      HttpResponse<Stream<String>> events =
          client.send(follow(server, "confidential", token.group(1)), BodyHandlers.ofLines());
      assertThat(events.statusCode()).isEqualTo(200);
      try (Stream<String> lines = events.body()) {
        Iterator<String> each = lines.iterator();
        String path = "/artifacts/public/progress/confidential";
        get(server, path, "RAUC-Serial", "before");
        List<String> told = new ArrayList<>();
        while (told.stream().noneMatch(line -> line.contains("before"))) {
          told.add(each.next());
        }
        operator.delete("/api/v1/tokens/" + id(created));
        get(server, path, "RAUC-Serial", "after");
        each.forEachRemaining(told::add);
        assertThat(told).noneMatch(line -> line.contains("after"));
      }
    }
  }

  private static String id(String created) {
    return JsonMapper.shared().readTree(created).get("id").asString();
  }

  private static HttpRequest follow(PackagedServer server, String name, String token) {
    return HttpRequest.newBuilder(
            server.uri("/api/v1/progress/events?repository=public&path=progress/" + name))
        .header("Authorization", "Bearer " + token)
        .build();
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Downloads that wait for their turn: the end of the queue, and its places. */
@Transports(value = Transport.TLS13, nightly = Transport.HTTP1)
class QueueIT extends QueueFixture {
  @Test
  void aFullQueueSaysWhenToComeAgain() throws Exception {
    try (Wire running = occupy("full")) {
      List<CompletableFuture<HttpResponse<byte[]>>> asking = new ArrayList<>();
      for (int client = 1; client <= 10; client++) {
        HttpClient http = client("127.0.1." + client, HttpClient.Version.HTTP_2);
        for (int i = 0; i < OF_ONE_CLIENT; i++) {
          asking.add(http.sendAsync(request("full"), BodyHandlers.ofByteArray()));
        }
      }
      int refused = asking.size() - PLACES;
      eventually("the others are refused", () -> done(asking) == refused);
      assertThat(waiting()).isEqualTo(PLACES);
      List<String> times = new ArrayList<>();
      for (CompletableFuture<HttpResponse<byte[]>> each : asking) {
        if (each.isDone()) {
          assertThat(each.get().statusCode()).isEqualTo(503);
          assertThat(new String(each.get().body(), StandardCharsets.UTF_8))
              .contains("Too many downloads");
          times.add(each.get().headers().firstValue("Retry-After").orElseThrow());
        }
      }
      assertThat(times).allMatch(time -> time.matches("[1-9]|10"));
      // They do not all come again at the same time.
      assertThat(times.stream().distinct().count()).isGreaterThan(1);
      release("full");
      for (CompletableFuture<HttpResponse<byte[]>> each : asking) {
        if (each.get().statusCode() != 503) {
          assertThat(each.get().body()).isEqualTo(CONTENT);
        }
      }
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void oneClientDoesNotTakeAllPlaces() throws Exception {
    HttpClient many = client("127.0.2.1", HttpClient.Version.HTTP_2);
    HttpClient other = client("127.0.2.2", HttpClient.Version.HTTP_1_1);
    try (Wire running = occupy("shared")) {
      // The connection speaks HTTP/2 from now on.
      HttpRequest head = HttpRequest.newBuilder(request("shared"), (_, _) -> true).HEAD().build();
      assertThat(many.send(head, BodyHandlers.discarding()).version())
          .isEqualTo(HttpClient.Version.HTTP_2);
      List<CompletableFuture<HttpResponse<byte[]>>> asking = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        asking.add(many.sendAsync(request("shared"), BodyHandlers.ofByteArray()));
      }
      eventually("it has its places", () -> done(asking) == 50 - OF_ONE_CLIENT);
      assertThat(waiting()).isEqualTo(OF_ONE_CLIENT);
      // An unknown token makes nobody another client.
      HttpRequest disguised =
          HttpRequest.newBuilder(request("shared"), (_, _) -> true)
              .header("Authorization", "Bearer as_0123456789abcdef_" + "0".repeat(64))
              .build();
      assertThat(many.send(disguised, BodyHandlers.discarding()).statusCode()).isEqualTo(503);
      CompletableFuture<HttpResponse<byte[]>> beside =
          other.sendAsync(request("shared"), BodyHandlers.ofByteArray());
      eventually("another has a place", () -> waiting() == OF_ONE_CLIENT + 1);
      release("shared");
      assertThat(beside.get().body()).isEqualTo(CONTENT);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void whoLeavesGivesItsPlaceUp() throws Exception {
    try (Wire running = occupy("left");
        Wire staying = open()) {
      staying.send(get("left"));
      List<Wire> leaving = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        leaving.add(open());
        leaving.getLast().send(get("left"));
      }
      eventually("all wait", () -> waiting() == 4);
      leaving.get(0).close();
      // As a device that loses power.
      leaving.get(1).reset();
      leaving.get(2).close();
      // The one that runs goes on: nobody's turn came.
      eventually("one waits", () -> waiting() == 1);
      release("left");
      assertThat(staying.receive(true).body()).isEqualTo(CONTENT);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  /**
   * A connection that answers by itself asks no handler, but there is a turn for it or there is
   * not.
   */
  @Test
  void aRepeatedRequestWaitsForItsTurn() throws Exception {
    byte[] large = Bytes.random(64_000_000, 1);
    operator.createRepository("repeated", true);
    operator.put("repeated", "image", large);
    limit("repeated", "{\"concurrentDownloads\": 1}");
    try (Wire repeating = open();
        Wire holding = open()) {
      for (int i = 0; i < 10; i++) {
        repeating.send(get("repeated", i));
        assertThat(repeating.receive(true).body()).isEqualTo(Arrays.copyOfRange(large, i, i + 10));
      }
      // Over TLS no request is answered without a handler.
      assertThat(operator.metric("artifact_server_requests_repeated_total") > 0)
          .isEqualTo(!transport.isSecured());
      // Its bytes are held back, so it keeps its turn.
      limit("repeated", "{\"bytesPerSecond\": 10, \"concurrentDownloads\": 1}");
      holding.send(get("repeated"));
      eventually("it is its turn", holding::isAnswered);
      repeating.send(get("repeated", 5_000));
      eventually("the other waits", () -> waiting() == 1);
      limit("repeated", "{\"concurrentDownloads\": 1}");
      holding.reset();
      assertThat(repeating.receive(true).body()).isEqualTo(Arrays.copyOfRange(large, 5_000, 5_010));
    }
    // All turns were given back.
    try (Wire next = open()) {
      next.send(get("repeated", 7));
      assertThat(next.receive(true).status()).isEqualTo(206);
    }
  }

  /** They keep their connections, and get every byte when they read on. */
  @Test
  void readersThatSipLeaveTheirPlacesToOthers() throws Exception {
    byte[] large = Bytes.random(20_000_000, 3);
    operator.createRepository("sipped", true);
    operator.put("sipped", "image", large);
    limit("sipped", "{\"concurrentDownloads\": 3}");
    List<Wire> sipping = new ArrayList<>();
    try {
      for (int i = 0; i < OF_ONE_CLIENT; i++) {
        Wire wire = open();
        sipping.add(wire);
        wire.send(get("sipped"));
      }
      HttpClient other = client("127.0.4.1", HttpClient.Version.HTTP_1_1);
      assertThat(other.send(request("sipped"), BodyHandlers.ofByteArray()).body()).isEqualTo(large);
      for (Wire wire : sipping) {
        assertThat(wire.receive(true).body()).isEqualTo(large);
      }
    } finally {
      for (Wire wire : sipping) {
        wire.close();
      }
    }
  }

  private static long done(List<? extends CompletableFuture<?>> futures) {
    return futures.stream().filter(CompletableFuture::isDone).count();
  }

  private HttpRequest request(String repository) {
    return HttpRequest.newBuilder(server.uri("/artifacts/" + repository + "/image")).build();
  }

  private HttpClient client(String address, HttpClient.Version version)
      throws IOException, InterruptedException {
    Transport other =
        transport.ofOneServer().stream()
            .filter(each -> each.isHttp2() == (version == HttpClient.Version.HTTP_2))
            .findFirst()
            .orElseThrow();
    HttpClient client =
        server
            .by(other)
            .httpClient(HttpClient.newBuilder().localAddress(InetAddress.getByName(address)));
    clients.add(client);
    return client;
  }
}

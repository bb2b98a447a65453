package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Downloads of a repository with limits: the right bytes, and no faster than they may be. */
@ExtendWith(SharedServer.class)
@InTurn(2)
class LimitsIT {
  private static final int LENGTH = 1_000_000;
  private static final byte[] CONTENT = Bytes.random(LENGTH, 24);
  private static final int RATE = 1_000_000;

  /** All but what the bucket may hold, and some more. */
  private static final long LEAST_NANOS = 800_000_000;

  private static final String NOTHING = "{\"bytesPerSecond\":null,\"concurrentDownloads\":null}";

  @ParameterizedTest
  @CsvSource({
    "false, HTTP1",
    "false, H2C",
    "false, TLS12",
    "false, TLS13",
    "false, H2",
    "true, HTTP1",
    "true, H2C",
    "true, TLS12",
    "true, TLS13",
    "true, H2"
  })
  void aDownloadTakesItsTime(boolean encrypted, Transport transport, Endpoints endpoints)
      throws Exception {
    Endpoint server = endpoints.by(transport);
    String repository = ("limit-" + transport + encrypted).toLowerCase(Locale.ROOT);
    try (Operator operator = server.operator();
        HttpClient client = server.httpClient()) {
      create(operator, repository, encrypted);
      // The connection learns the request, and would answer it without a handler.
      for (int i = 0; i < 4; i++) {
        assertThat(get(client, server, repository, "bytes=0-9").body()).hasSize(10);
      }
      setLimits(operator, repository, "{\"bytesPerSecond\": %d}".formatted(RATE));
      long begin = System.nanoTime();
      HttpResponse<byte[]> whole = get(client, server, repository, "bytes=0-");
      assertThat(System.nanoTime() - begin).isGreaterThan(LEAST_NANOS);
      assertThat(whole.version())
          .isEqualTo(transport.isHttp2() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1);
      assertThat(whole.body()).isEqualTo(CONTENT);
      long next = System.nanoTime();
      for (int i = 0; i < 10; i++) {
        int position = i * LENGTH / 10;
        int end = position + LENGTH / 10;
        HttpResponse<byte[]> part =
            get(client, server, repository, "bytes=%d-%d".formatted(position, end - 1));
        assertThat(part.body()).isEqualTo(Arrays.copyOfRange(CONTENT, position, end));
      }
      assertThat(System.nanoTime() - next).isGreaterThan(LEAST_NANOS);
      setLimits(operator, repository, "{}");
      assertThat(get(client, server, repository, "bytes=0-").body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void severalRangesAreWholeAtAnyRate(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      create(operator, "limit-ranges", false);
      String ranges = "bytes=0-99,500000-699999,7-8";
      byte[] free = get(client, server, "limit-ranges", ranges).body();
      // Less than the head of a part at a time.
      setLimits(operator, "limit-ranges", "{\"bytesPerSecond\": 100}");
      CompletableFuture<HttpResponse<byte[]>> paced =
          client.sendAsync(request(server, "limit-ranges", ranges), BodyHandlers.ofByteArray());
      assertThat(paced).isNotDone();
      setLimits(operator, "limit-ranges", "{\"bytesPerSecond\": 200000}");
      String body = new String(paced.get().body(), StandardCharsets.ISO_8859_1);
      // The boundary differs.
      assertThat(body).hasSize(free.length);
      assertThat(body)
          .contains(
              new String(
                  Arrays.copyOfRange(CONTENT, 500_000, 700_000), StandardCharsets.ISO_8859_1))
          .contains("Content-Range: bytes 7-8/" + LENGTH);
    }
  }

  @Test
  void aChangeCountsForDownloadsThatRun(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      create(operator, "limit-change", false);
      create(operator, "limit-none", false);
      setLimits(operator, "limit-change", "{\"bytesPerSecond\": 10}");
      List<CompletableFuture<HttpResponse<byte[]>>> paced = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        paced.add(
            client.sendAsync(
                request(server, "limit-change", "bytes=0-"), BodyHandlers.ofByteArray()));
      }
      // A repository beside it is as it was.
      HttpResponse<byte[]> beside = get(client, server, "limit-none", "bytes=0-");
      assertThat(beside.body()).isEqualTo(CONTENT);
      assertThat(paced).noneMatch(CompletableFuture::isDone);
      setLimits(operator, "limit-change", "{\"bytesPerSecond\": 1000000000}");
      setLimits(operator, "limit-change", "{\"bytesPerSecond\": 1}");
      setLimits(operator, "limit-change", "{}");
      for (CompletableFuture<HttpResponse<byte[]>> each : paced) {
        HttpResponse<byte[]> response = each.get();
        assertThat(response.body()).isEqualTo(CONTENT);
        assertThat(fieldsOf(response)).isEqualTo(fieldsOf(beside));
      }
    }
  }

  /** All of them have begun, and are far from their end, while the limit changes. */
  @Test
  @Nightly("The test before has some downloads; here there are 500.")
  void aLimitComesAndGoesUnder500Downloads(PackagedServer server) throws Exception {
    byte[] content = Bytes.random(200_000, 26);
    List<HttpClient> clients = new ArrayList<>();
    try (Operator operator = new Operator(server)) {
      operator.createEncryptedRepository("limit-500");
      operator.put("limit-500", "image", content);
      setLimits(operator, "limit-500", "{\"bytesPerSecond\": 1000000}");
      AtomicInteger begun = new AtomicInteger();
      List<CompletableFuture<HttpResponse<byte[]>>> paced = new ArrayList<>();
      for (int client = 0; client < 10; client++) {
        HttpClient.Version version =
            client < 8 ? HttpClient.Version.HTTP_1_1 : HttpClient.Version.HTTP_2;
        HttpClient.Builder builder = HttpClient.newBuilder().version(version);
        clients.add(version == HttpClient.Version.HTTP_2 ? server.http2(builder) : builder.build());
        // The requests below have one connection over HTTP/2.
        get(clients.getLast(), server, "limit-500", "bytes=0-0");
        for (int i = 0; i < 50; i++) {
          paced.add(
              clients
                  .getLast()
                  .sendAsync(
                      request(server, "limit-500", "bytes=0-"),
                      _ -> {
                        begun.incrementAndGet();
                        return BodySubscribers.ofByteArray();
                      }));
        }
      }
      eventually("All have begun", () -> begun.get() == paced.size());
      // Zero would hold them for ever.
      assertThat(
              operator
                  .json(
                      "PUT",
                      "/api/v1/repositories/limit-500/limits",
                      "{\"bytesPerSecond\": 0, \"concurrentDownloads\": 0}")
                  .statusCode())
          .isEqualTo(400);
      for (int round = 0; round < 10; round++) {
        setLimits(operator, "limit-500", "{\"bytesPerSecond\": 1, \"concurrentDownloads\": 1}");
        setLimits(operator, "limit-500", "{\"bytesPerSecond\": 2000000}");
      }
      setLimits(operator, "limit-500", "{\"bytesPerSecond\": 1}");
      assertThat(paced).anyMatch(each -> !each.isDone());
      setLimits(operator, "limit-500", "{\"bytesPerSecond\": null}");
      for (CompletableFuture<HttpResponse<byte[]>> each : paced) {
        assertThat(each.get().body()).isEqualTo(content);
      }
    } finally {
      clients.forEach(HttpClient::shutdownNow);
    }
  }

  /**
   * Much slower than clients must be, and with pauses that are longer than they may be: it takes
   * eight seconds. (Jetty cancels a stream that no thread has begun to handle in its time, so the
   * time is more than a busy machine needs for that.)
   */
  @Test
  void nobodyIsBlamedForTheServersOwnPace(@TempDir Path folder) throws Exception {
    try (PackagedServer server =
            PackagedServer.start(
                folder.resolve("data"),
                "--artifact-server.limit.bytes-per-second=4KB",
                "--artifact-server.connections.idle-timeout=2s",
                "--artifact-server.connections.stall-timeout=2s",
                "--artifact-server.connections.max-stall=2s",
                "--artifact-server.connections.min-rate=100KB",
                "--artifact-server.connections.rate-window=2s");
        Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      create(operator, "slow", false);
      // Those that wait for their turn have had no byte, and it is not for want of asking.
      create(operator, "queued", false);
      setLimits(operator, "queued", "{\"concurrentDownloads\": 1}");
      List<CompletableFuture<HttpResponse<byte[]>>> running = new ArrayList<>();
      for (String repository : List.of("slow", "queued")) {
        for (HttpClient.Version version : HttpClient.Version.values()) {
          for (int i = 0; i < 2; i++) {
            running.add(
                client.sendAsync(
                    HttpRequest.newBuilder(server.uri("/artifacts/" + repository + "/image"))
                        .version(version)
                        .header("Range", "bytes=0-3999")
                        .build(),
                    BodyHandlers.ofByteArray()));
          }
        }
      }
      for (CompletableFuture<HttpResponse<byte[]>> each : running) {
        assertThat(each.get().body()).isEqualTo(Arrays.copyOf(CONTENT, 4000));
      }
    }
  }

  @Test
  void contentHasTheLimitOfItsRepository(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      operator.createRepository("limit-content", true);
      byte[] content = Bytes.random(LENGTH, 25);
      String created = operator.put("limit-content", "image", content).body();
      Matcher digest = Pattern.compile("\"sha256\":\"([0-9a-f]+)\"").matcher(created);
      assertThat(digest.find()).as(created).isTrue();
      setLimits(operator, "limit-content", "{\"bytesPerSecond\": %d}".formatted(RATE));
      long begin = System.nanoTime();
      HttpResponse<byte[]> response =
          client.send(
              HttpRequest.newBuilder(server.uri("/blobs/sha256/" + digest.group(1))).build(),
              BodyHandlers.ofByteArray());
      assertThat(response.body()).isEqualTo(content);
      assertThat(System.nanoTime() - begin).isGreaterThan(LEAST_NANOS);
    }
  }

  @Test
  void aSignedLinkHasItsOwnRate(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      create(operator, "limit-link", false);
      String made =
          operator
              .json(
                  "POST",
                  "/api/v1/links",
                  "{\"repository\":\"limit-link\",\"path\":\"image\",\"expires\":\"1h\",\"rate\":%d}"
                      .formatted(RATE))
              .body();
      Matcher url = Pattern.compile("\"url\":\"([^\"]+)\"").matcher(made);
      assertThat(url.find()).as(made).isTrue();
      long begin = System.nanoTime();
      HttpResponse<byte[]> response =
          client.send(
              HttpRequest.newBuilder(server.uri(url.group(1))).build(), BodyHandlers.ofByteArray());
      assertThat(response.body()).isEqualTo(CONTENT);
      assertThat(System.nanoTime() - begin).isGreaterThan(LEAST_NANOS);
    }
  }

  @ParameterizedTest
  @EnumSource
  void downloadsWaitForTheirTurnInOrder(Transport transport, Endpoints endpoints) throws Exception {
    Endpoint server = endpoints.by(transport);
    String repository = "limit-queue-" + transport.name().toLowerCase(Locale.ROOT);
    try (Operator operator = server.operator();
        Wire first = server.open();
        Wire second = server.open();
        Wire third = server.open();
        HttpClient client = server.httpClient()) {
      create(operator, repository, false);
      setLimits(operator, repository, "{\"bytesPerSecond\": 100000, \"concurrentDownloads\": 1}");
      String get = "GET /artifacts/" + repository + "/image HTTP/1.1\r\nHost: a\r\n\r\n";
      first.send(get);
      eventually("it is its turn", first::isAnswered);
      CompletableFuture<HttpResponse<byte[]>> waiting =
          client.sendAsync(request(server, repository, "bytes=0-0"), BodyHandlers.ofByteArray());
      // An answer without a body does not wait.
      third.send("HEAD /artifacts/" + repository + "/image HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(third.receive(false).status()).isEqualTo(200);
      assertThat(waiting).isNotDone();
      // One that goes away makes room.
      first.reset();
      assertThat(waiting.get().statusCode()).isEqualTo(206);
      second.send(get);
      eventually("it is the next one's turn", second::isAnswered);
      third.send(get);
      setLimits(operator, repository, "{\"concurrentDownloads\": 2}");
      assertThat(third.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public | {\"bytesPerSecond\": 0}                         | 400 | bytesPerSecond",
        "public | {\"bytesPerSecond\": -1}                        | 400 | bytesPerSecond",
        "public | {\"bytesPerSecond\": 1000000000001}             | 400 | 1000000000000",
        "public | {\"bytesPerSecond\": 9223372036854775807}       | 400 | bytesPerSecond",
        "public | {\"bytesPerSecond\": 9223372036854775808}       | 400 | range",
        "public | {\"bytesPerSecond\": \"fast\"}                  | 400 | bytesPerSecond",
        "public | {\"concurrentDownloads\": 0}                    | 400 | concurrentDownloads",
        "public | {\"concurrentDownloads\": -9223372036854775808} | 400 | concurrentDownloads",
        "public | {\"concurrentDownloads\": 1000001}              | 400 | 1000000",
        "public | {\"speed\": 1}                                  | 400 | bytesPerSecond",
        "public | []                                              | 400 | body",
        "public | {\"bytesPerSecond\": null}                      | 200 | null",
        "absent | {\"bytesPerSecond\": 1}                         | 404 | absent",
        "-name  | {\"bytesPerSecond\": 1}                         | 400 | name"
      })
  void refusesWhatIsNoLimit(
      String repository, String body, int status, String named, PackagedServer server)
      throws Exception {
    try (Operator operator = new Operator(server)) {
      HttpResponse<String> response =
          operator.json("PUT", "/api/v1/repositories/" + repository + "/limits", body);
      assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
      assertThat(response.body()).contains(named);
      assertThat(operator.get("/api/v1/repositories/public/limits").body()).isEqualTo(NOTHING);
    }
  }

  private static List<String> fieldsOf(HttpResponse<?> response) {
    return response.headers().map().entrySet().stream()
        .filter(field -> !List.of("date", "last-modified", "x-request-id").contains(field.getKey()))
        .map(Object::toString)
        .toList();
  }

  private static void create(Operator operator, String repository, boolean encrypted)
      throws IOException, InterruptedException {
    if (encrypted) {
      operator.createEncryptedRepository(repository);
    } else {
      operator.createRepository(repository, true);
    }
    assertThat(operator.put(repository, "image", CONTENT).statusCode()).isEqualTo(201);
  }

  private static HttpRequest request(RunningServer server, String repository, String range) {
    return HttpRequest.newBuilder(server.uri("/artifacts/" + repository + "/image"))
        .header("Range", range)
        .build();
  }

  private static HttpResponse<byte[]> get(
      HttpClient client, RunningServer server, String repository, String range)
      throws IOException, InterruptedException {
    return client.send(request(server, repository, range), BodyHandlers.ofByteArray());
  }

  private static void setLimits(Operator operator, String repository, String limits)
      throws IOException, InterruptedException {
    String address = "/api/v1/repositories/" + repository + "/limits";
    HttpResponse<String> response = operator.json("PUT", address, limits);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(operator.get(address).body()).isEqualTo(response.body());
  }
}

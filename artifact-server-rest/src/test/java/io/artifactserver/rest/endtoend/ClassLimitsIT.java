package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits of downloads by who asks and from where, over real connections. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(7)
class ClassLimitsIT {
  private static final int LENGTH = 1_000_000;
  private static final byte[] CONTENT = Bytes.random(LENGTH, 27);
  private static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]+)\"");
  private static final String PROXY = "127.0.9.9";

  /** At a million bytes a second, all but what the bucket may hold, and some more. */
  private static final long LEAST_NANOS = 800_000_000;

  private static final String RATE = "\"bytesPerSecond\": 1000000";
  private static final String NEVER = "\"bytesPerSecond\": 1";

  private final List<HttpClient> clients = new ArrayList<>();
  private PackagedServer server;
  private Operator operator;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    server =
        PackagedServer.start(
            folder.resolve("data"), "--artifact-server.connections.trusted-proxies=" + PROXY);
    operator = new Operator(server);
    operator.createRepository("plain", true);
    operator.createEncryptedRepository("encrypted");
    for (String repository : List.of("plain", "encrypted")) {
      assertThat(operator.put(repository, "image", CONTENT).statusCode()).isEqualTo(201);
    }
  }

  @AfterEach
  void disconnect() {
    clients.forEach(HttpClient::shutdownNow);
  }

  @AfterAll
  void stop() {
    operator.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "plain, HTTP_1_1, 127.0.3.2",
    "plain, HTTP_2, 127.0.3.3",
    "encrypted, HTTP_1_1, 127.0.3.4",
    "encrypted, HTTP_2, 127.0.3.5"
  })
  void oneAddressIsPacedBesideAnother(String repository, HttpClient.Version version, String address)
      throws Exception {
    HttpClient slow = client(address, version);
    HttpClient fast = client("127.0.3.1", version);
    // The connections learn the request, and would answer it without a handler.
    for (int i = 0; i < 4; i++) {
      assertThat(get(slow, repository, 10).body()).hasSize(10);
      assertThat(get(fast, repository, 10).body()).hasSize(10);
    }
    String addresses = "\"addresses\": [\"%s/32\", \"fd00::/8\"]".formatted(address);
    set("site", "{%s, %s}".formatted(RATE, addresses));
    long begin = System.nanoTime();
    for (int i = 0; i < 10; i++) {
      assertThat(get(slow, repository, LENGTH / 10).body())
          .isEqualTo(Arrays.copyOf(CONTENT, LENGTH / 10));
    }
    assertThat(System.nanoTime() - begin).isGreaterThan(LEAST_NANOS);
    // Changed, and taken away, under downloads that run.
    for (boolean isDeleted : new boolean[] {false, true}) {
      set("site", "{%s, %s}".formatted(NEVER, addresses));
      List<CompletableFuture<HttpResponse<byte[]>>> paced = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        paced.add(slow.sendAsync(request(repository, LENGTH), BodyHandlers.ofByteArray()));
      }
      assertThat(get(fast, repository, LENGTH).body()).isEqualTo(CONTENT);
      assertThat(paced).noneMatch(CompletableFuture::isDone);
      if (isDeleted) {
        assertThat(operator.delete("/api/v1/limits/site").statusCode()).isEqualTo(204);
      } else {
        set("site", "{\"bytesPerSecond\": 1000000000, %s}".formatted(addresses));
      }
      for (CompletableFuture<HttpResponse<byte[]>> each : paced) {
        assertThat(each.get().body()).isEqualTo(CONTENT);
      }
    }
    assertThat(operator.get("/api/v1/limits/site").statusCode()).isEqualTo(404);
    assertThat(operator.delete("/api/v1/limits/site").statusCode()).isEqualTo(404);
  }

  /** The repository is public: nobody has looked these tokens up before. */
  @Test
  void tokensOfAClassArePacedFromTheirFirstByte() throws Exception {
    HttpClient client = client("127.0.4.1", HttpClient.Version.HTTP_1_1);
    String paced = token("gateway-7", "device");
    String other = token("camera-7", "device");
    String reader = token("gateway-8", "reader");
    set("gateways", "{%s, \"roles\": [\"device\"], \"callers\": [\"gateway-*\"]}".formatted(NEVER));
    CompletableFuture<HttpResponse<byte[]>> waiting =
        client.sendAsync(as(paced, LENGTH), BodyHandlers.ofByteArray());
    // Each has its connection, and a bad token is nobody's.
    for (String beside : List.of(other, reader, "as_0123456789abcdef_" + "0".repeat(64))) {
      assertThat(client.send(as(beside, LENGTH), BodyHandlers.ofByteArray()).body())
          .isEqualTo(CONTENT);
    }
    assertThat(get(client, "plain", LENGTH).body()).isEqualTo(CONTENT);
    assertThat(waiting).isNotDone();
    set("gateways", "{%s, \"callers\": [\"other-*\"]}".formatted(NEVER));
    assertThat(waiting.get().body()).isEqualTo(CONTENT);
    set("gateways", "{%s, \"callers\": [\"gateway-*\"]}".formatted(RATE));
    long begin = System.nanoTime();
    for (int i = 0; i < 10; i++) {
      client.send(as(i % 2 == 0 ? paced : reader, LENGTH / 10), BodyHandlers.discarding());
    }
    assertThat(System.nanoTime() - begin).isGreaterThan(LEAST_NANOS);
    assertThat(operator.delete("/api/v1/limits/gateways").statusCode()).isEqualTo(204);
  }

  @Test
  void strangersArePacedAndThoseWithATokenAreNot() throws Exception {
    HttpClient client = client("127.0.5.1", HttpClient.Version.HTTP_2);
    set("strangers", "{%s, \"roles\": [\"anonymous\"]}".formatted(NEVER));
    CompletableFuture<HttpResponse<byte[]>> waiting =
        client.sendAsync(request("plain", LENGTH), BodyHandlers.ofByteArray());
    assertThat(client.send(as(token("known", "device"), LENGTH), BodyHandlers.ofByteArray()).body())
        .isEqualTo(CONTENT);
    assertThat(waiting).isNotDone();
    assertThat(operator.delete("/api/v1/limits/strangers").statusCode()).isEqualTo(204);
    assertThat(waiting.get().body()).isEqualTo(CONTENT);
  }

  /** It began as fast as can be: a few megabytes are under way when the limit comes. */
  @Test
  void aLimitIsForDownloadsThatBeganWithoutOne() throws Exception {
    byte[] large = Bytes.random(64 << 20, 28);
    operator.put("plain", "large", large);
    try (Wire wire =
        new Wire(
            new Socket(
                InetAddress.getLoopbackAddress(),
                server.port(),
                InetAddress.getByName("127.0.6.1"),
                0))) {
      wire.send("GET /artifacts/plain/large HTTP/1.1\r\nHost: a\r\n\r\n");
      wire.receive(false);
      set("large", "{\"bytesPerSecond\": 40000000, \"addresses\": [\"127.0.6.0/24\"]}");
      long begin = System.nanoTime();
      assertThat(wire.body().readNBytes(large.length)).isEqualTo(large);
      assertThat(System.nanoTime() - begin).isGreaterThan(LEAST_NANOS);
    }
    assertThat(operator.delete("/api/v1/limits/large").statusCode()).isEqualTo(204);
  }

  @Test
  void behindATrustedProxyTheAddressIsTheClients() throws Exception {
    HttpClient proxy = client(PROXY, HttpClient.Version.HTTP_1_1);
    HttpClient stranger = client("127.0.7.1", HttpClient.Version.HTTP_1_1);
    set("site", "{%s, \"addresses\": [\"10.1.0.0/16\"]}".formatted(NEVER));
    CompletableFuture<HttpResponse<byte[]>> paced =
        proxy.sendAsync(forwarded("10.9.9.9, 10.1.2.3"), BodyHandlers.ofByteArray());
    assertThat(proxy.send(forwarded("10.1.2.3, 10.9.9.9"), BodyHandlers.ofByteArray()).body())
        .isEqualTo(CONTENT);
    assertThat(stranger.send(forwarded("10.1.2.3"), BodyHandlers.ofByteArray()).body())
        .isEqualTo(CONTENT);
    assertThat(paced).isNotDone();
    assertThat(operator.delete("/api/v1/limits/site").statusCode()).isEqualTo(204);
    assertThat(paced.get().body()).isEqualTo(CONTENT);
  }

  @Test
  void behindATrustedProxyTheAuditHasTheAddressOfTheClient() throws Exception {
    HttpRequest change =
        HttpRequest.newBuilder(server.uri("/api/v1/tokens/nobody"))
            .header("Authorization", "Bearer " + server.operatorToken())
            .header("X-Forwarded-For", "10.1.2.3, 203.0.113.7")
            .DELETE()
            .build();
    assertThat(client(PROXY, HttpClient.Version.HTTP_1_1).send(change, BodyHandlers.discarding()))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(404);
    assertThat(operator.get("/api/v1/audit").body())
        .contains("\"address\":\"203.0.113.7\"")
        .doesNotContain("10.1.2.3");
  }

  @Test
  void aLimitWithoutAListIsOfEverything() throws Exception {
    HttpClient client = client("127.0.8.1", HttpClient.Version.HTTP_1_1);
    set("egress", "{%s}".formatted(NEVER));
    List<CompletableFuture<HttpResponse<byte[]>>> paced =
        List.of(
            client.sendAsync(request("plain", LENGTH), BodyHandlers.ofByteArray()),
            client.sendAsync(request("encrypted", LENGTH), BodyHandlers.ofByteArray()));
    // An answer without a body is not paced, nor is the API.
    assertThat(operator.get("/api/v1/limits").body())
        .isEqualTo(
            "[{\"name\":\"egress\",\"bytesPerSecond\":1,\"addresses\":[],\"roles\":[],\"callers\":[]}]");
    assertThat(paced).noneMatch(CompletableFuture::isDone);
    assertThat(operator.delete("/api/v1/limits/egress").statusCode()).isEqualTo(204);
    for (CompletableFuture<HttpResponse<byte[]>> each : paced) {
      assertThat(each.get().body()).isEqualTo(CONTENT);
    }
    assertThat(operator.get("/api/v1/limits").body()).isEqualTo("[]");
    assertThat(operator.get("/api/v1/audit").body())
        .contains("\"path\":\"/api/v1/limits/egress\"")
        .contains("\"after\":{\"name\":\"egress\"")
        .contains("\"before\":{\"name\":\"egress\"");
  }

  @Test
  void aLimitIsInForceAfterACrashAndADeletedOneIsNot() throws Exception {
    set("site", "{%s, \"addresses\": [\"127.0.10.0/24\"]}".formatted(NEVER));
    String all = operator.get("/api/v1/limits").body();
    server.kill();
    server.restart();
    assertThat(operator.get("/api/v1/limits").body()).isEqualTo(all);
    HttpClient slow = client("127.0.10.1", HttpClient.Version.HTTP_1_1);
    HttpClient fast = client("127.0.11.1", HttpClient.Version.HTTP_1_1);
    CompletableFuture<HttpResponse<byte[]>> paced =
        slow.sendAsync(request("plain", LENGTH), BodyHandlers.ofByteArray());
    assertThat(get(fast, "plain", LENGTH).body()).isEqualTo(CONTENT);
    assertThat(paced).isNotDone();
    assertThat(operator.delete("/api/v1/limits/site").statusCode()).isEqualTo(204);
    assertThat(paced.get().body()).isEqualTo(CONTENT);
    server.stop();
    server.restart();
    assertThat(operator.get("/api/v1/limits").body()).isEqualTo("[]");
    assertThat(get(slow, "plain", LENGTH).body()).isEqualTo(CONTENT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bad  | {}                                                           | bytesPerSecond",
        "bad  | {\"bytesPerSecond\": null}                                   | bytesPerSecond",
        "bad  | {\"bytesPerSecond\": 0}                                      | bytesPerSecond",
        "bad  | {\"bytesPerSecond\": -1}                                     | bytesPerSecond",
        "bad  | {\"bytesPerSecond\": 1000000000001}                          | 1000000000000",
        "bad  | {\"bytesPerSecond\": 9223372036854775808}                    | range",
        "bad  | {\"bytesPerSecond\": \"fast\"}                               | bytesPerSecond",
        "bad  | {\"bytesPerSecond\": 1, \"addresses\": [\"10.0.0.0/33\"]}    | 0 to 32",
        "bad  | {\"bytesPerSecond\": 1, \"addresses\": [\"fd00::/129\"]}     | 0 to 128",
        "bad  | {\"bytesPerSecond\": 1, \"addresses\": [\"example.com\"]}    | example.com",
        "bad  | {\"bytesPerSecond\": 1, \"addresses\": [null]}               | addresses",
        "bad  | {\"bytesPerSecond\": 1, \"addresses\": \"10.0.0.0/8\"}       | addresses",
        "bad  | {\"bytesPerSecond\": 1, \"roles\": [\"operator\"]}           | anonymous",
        "bad  | {\"bytesPerSecond\": 1, \"callers\": [\"\"]}                 | pattern",
        "bad  | {\"bytesPerSecond\": 1, \"tokens\": [\"a\"]}                 | callers",
        "-bad | {\"bytesPerSecond\": 1}                                      | name",
        "a%20b | {\"bytesPerSecond\": 1}                                     | name",
        "bad  | []                                                           | body"
      })
  void refusesWhatIsNoLimit(String name, String body, String named) throws Exception {
    HttpResponse<String> response = operator.json("PUT", "/api/v1/limits/" + name, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
    assertThat(response.body()).contains(named);
    assertThat(operator.get("/api/v1/limits/" + name).statusCode()).isEqualTo(404);
  }

  private void set(String name, String limit) throws IOException, InterruptedException {
    HttpResponse<String> response = operator.json("PUT", "/api/v1/limits/" + name, limit);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(operator.get("/api/v1/limits/" + name).body()).isEqualTo(response.body());
  }

  private String token(String name, String role) throws IOException, InterruptedException {
    String body = "{\"name\": \"%s\", \"role\": \"%s\"}".formatted(name, role);
    String created = operator.json("POST", "/api/v1/tokens", body).body();
    Matcher token = TOKEN.matcher(created);
    assertThat(token.find()).as(created).isTrue();
    return token.group(1);
  }

  private HttpRequest as(String token, int length) {
    return HttpRequest.newBuilder(request("plain", length), (_, _) -> true)
        .header("Authorization", "Bearer " + token)
        .build();
  }

  private HttpRequest forwarded(String addresses) {
    return HttpRequest.newBuilder(request("plain", LENGTH), (_, _) -> true)
        .header("X-Forwarded-For", addresses)
        .build();
  }

  private HttpRequest request(String repository, int length) {
    return HttpRequest.newBuilder(server.uri("/artifacts/" + repository + "/image"))
        .header("Range", "bytes=0-%d".formatted(length - 1))
        .build();
  }

  private HttpResponse<byte[]> get(HttpClient client, String repository, int length)
      throws IOException, InterruptedException {
    return client.send(request(repository, length), BodyHandlers.ofByteArray());
  }

  private HttpClient client(String address, HttpClient.Version version) throws IOException {
    HttpClient.Builder builder =
        HttpClient.newBuilder().version(version).localAddress(InetAddress.getByName(address));
    HttpClient client =
        version == HttpClient.Version.HTTP_2 ? server.http2(builder) : builder.build();
    clients.add(client);
    return client;
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.settled;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that devices run, as far as they are installed. A test whose program is missing is
 * skipped and says so; .ci/run installs them. Each begins with {@link #reach}.
 */
@ExtendWith(SharedServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Each test begins with reach.
abstract class RealClients {
  static final int LENGTH = 40_000_000;
  static final int PARTIAL = 10_000_000;
  static final String IMAGE_PATH = "/artifacts/public/clients/new.img";
  static final String SECRET_PATH = "/artifacts/secret/clients/new.img";

  final byte[] image = Bytes.random(LENGTH, 51);
  private final Map<Boolean, String> deviceTokens = new HashMap<>();
  private Endpoints endpoints;
  Endpoint server;
  Operator operator;
  String deviceToken;
  RecordingRelay relay;
  double transfersBefore;
  Path folder;
  Client client;

  @BeforeAll
  void share(Endpoints shared) {
    endpoints = shared;
  }

  @BeforeEach
  void begin(@TempDir Path temporary) {
    folder = temporary;
  }

  /** Each test begins so. */
  void reach(Transport transport) throws Exception {
    server = endpoints.by(transport);
    operator = server.operator();
    client = new Client(folder, server);
    relay = new RecordingRelay(server);
    String known = deviceTokens.get(transport.isSecured());
    deviceToken = known == null ? upload() : known;
    deviceTokens.put(transport.isSecured(), deviceToken);
    if (!relay.isReadable()) {
      transfersBefore = metric("artifact_server_transfer_seconds_count");
    }
  }

  /** Returns a device's token. */
  private String upload() throws Exception {
    put("public", "clients/new.img", image);
    put("secret", "clients/new.img", image);
    HttpResponse<String> created =
        operator.json("POST", "/api/v1/tokens", "{\"name\":\"real-clients\"}");
    Matcher token = Pattern.compile("\"token\":\"([^\"]+)\"").matcher(created.body());
    assertThat(token.find()).as(created.body()).isTrue();
    return token.group(1);
  }

  @AfterEach
  void disconnect() throws IOException {
    relay.close();
    operator.close();
  }

  /**
   * Requests with the pattern; where nobody between the ends can read, transfers by their count.
   */
  long asked(String pattern) throws IOException, InterruptedException {
    return relay.isReadable()
        ? relay.requests(pattern)
        : (long) (metric("artifact_server_transfer_seconds_count") - transfersBefore);
  }

  /** The most that fields take, or fields, handshakes, records and frames, in bytes. */
  long overhead() {
    return relay.isReadable() ? 1_000 : LENGTH / 100;
  }

  /** The sum, once it stands still. */
  double metric(String name) {
    return settled(name, Duration.ofMillis(300), () -> operator.metric(name));
  }

  Digest sha256() {
    DigestAlgorithm algorithm = DigestAlgorithm.SHA_256;
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(image));
  }

  void put(String repository, String path, byte[] content) throws Exception {
    HttpResponse<String> answer = operator.put(repository, path, content);
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
  }

  void writePartial(String name) throws IOException {
    Files.write(folder.resolve(name), Arrays.copyOf(image, PARTIAL));
  }

  byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(folder.resolve(name));
  }

  void requireImage(String name) throws IOException {
    try (InputStream file = Files.newInputStream(folder.resolve(name))) {
      assertThat(Arrays.equals(file.readAllBytes(), image)).as(name).isTrue();
    }
  }

  static String[] append(String[] command, String... more) {
    return Stream.concat(Arrays.stream(command), Arrays.stream(more)).toArray(String[]::new);
  }
}

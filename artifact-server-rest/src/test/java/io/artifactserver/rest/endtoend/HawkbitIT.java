package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.rest.hawkbit.ArtifactFolder;
import io.artifactserver.rest.hawkbit.Deployment;
import io.artifactserver.rest.hawkbit.FakeHawkbit;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged server beside a stand-in for hawkBit: with its folder, and without. */
@InTurn(5)
class HawkbitIT {
  private static final byte[] CONTENT = Bytes.random(3_000_000, 22);
  private static final String FILE =
      "/DEFAULT/controller/v1/device/softwaremodules/7/artifacts/fw.img";
  private static final String TOKEN = "TargetToken secret-of-the-device";

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<String> posted = new CopyOnWriteArrayList<>();
  private FakeHawkbit hawkbit;
  private HttpServer webhook;

  @BeforeEach
  void start() throws IOException {
    hawkbit = new FakeHawkbit();
    hawkbit.device("device", "secret-of-the-device");
    hawkbit.assign("device", "7");
    hawkbit.artifact("7", "fw.img", CONTENT);
    webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    webhook.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          posted.add(new String(body, StandardCharsets.UTF_8));
          // The first one is not taken.
          exchange.sendResponseHeaders(posted.size() == 1 ? 503 : 204, -1);
          exchange.close();
        });
    webhook.start();
  }

  @AfterEach
  void stop() {
    client.close();
    webhook.stop(0);
    hawkbit.close();
  }

  @Test
  void servesItsFolder(@TempDir Path data, @TempDir Path folder) throws Exception {
    try (PackagedServer server =
        PackagedServer.start(
            data.resolve("data"),
            "--artifact-server.hawkbit.url=" + hawkbit.url(),
            "--artifact-server.hawkbit.artifacts=" + folder,
            "--artifact-server.hawkbit.grant-time=1s",
            "--artifact-server.access.public-metrics=true",
            "--artifact-server.hawkbit.webhook=http://127.0.0.1:"
                + webhook.getAddress().getPort()
                + "/hook")) {
      assertThat(get(server, TOKEN).statusCode()).isEqualTo(503);
      eventually("the log says why", () -> server.log().contains("folder mounted at " + folder));
      ArtifactFolder.add(folder, "DEFAULT", CONTENT);
      assertThat(get(server, TOKEN, "Range", "bytes=0-99").statusCode()).isEqualTo(206);
      assertThat(posted).isEmpty();
      HttpResponse<byte[]> whole = get(server, TOKEN);
      assertThat(whole.body()).isEqualTo(CONTENT);
      // Told once, and once more because nobody took it.
      eventually("the webhook is told", () -> posted.size() == 2);
      assertThat(posted.getLast())
          .contains("\"tenant\":\"DEFAULT\"", "\"controllerId\":\"device\"")
          .contains("\"softwareModuleId\":7", "\"fileName\":\"fw.img\"")
          .contains("\"bytes\":3000000", "\"state\":\"complete\"");
      assertThat(get(server, TOKEN).statusCode()).isEqualTo(200);
      assertThat(posted).hasSize(2);
      // As an agent that follows the links of its deployment.
      configure(server);
      hawkbit.action("device", "3");
      Deployment deployment = Deployment.read(deployment());
      assertThat(deployment.downloads()).hasSize(1);
      String link = deployment.downloads().getFirst().link().toString();
      assertThat(link).isEqualTo(server.uri(FILE).toString());
      assertThat(send(server, link.substring(server.uri("").toString().length()), TOKEN).body())
          .isEqualTo(CONTENT);
      assertThat(send(server, "/actuator/prometheus", "").body())
          .asString(StandardCharsets.UTF_8)
          .contains("artifact_server_hawkbit_download_bytes_total{tenant=\"DEFAULT\"}")
          .contains(
              "artifact_server_hawkbit_downloads_total{ending=\"complete\",tenant=\"DEFAULT\"}");
      // A token that was rotated is refused when the grant has ended.
      hawkbit.device("device", "another");
      eventually("the old token is refused", () -> get(server, TOKEN).statusCode() == 401);
      assertThat(get(server, "TargetToken another").statusCode()).isEqualTo(200);
      hawkbit.unassign("device", "7");
      eventually(
          "what is not assigned is missing",
          () -> get(server, "TargetToken another").statusCode() == 404);
    }
  }

  /** hawkBit never changes a file in its place; copies, mounts and hands do. */
  @Test
  void whatBefallsTheFolderNeverReachesADevice(@TempDir Path data, @TempDir Path parent)
      throws Exception {
    Path folder = Files.createDirectory(parent.resolve("artifactrepo"));
    Path file = ArtifactFolder.add(folder, "DEFAULT", Arrays.copyOf(CONTENT, 10));
    Path own = ArtifactFolder.path(folder, "DEFAULT", CONTENT);
    Files.createDirectories(own.getParent());
    try (PackagedServer server =
        PackagedServer.start(
            data.resolve("data"),
            "--artifact-server.hawkbit.url=" + hawkbit.url(),
            "--artifact-server.hawkbit.artifacts=" + folder)) {
      Files.move(file, own);
      requireRefusal(server);
      Files.write(own, Arrays.copyOf(Arrays.copyOf(CONTENT, 1_000_000), CONTENT.length));
      requireRefusal(server);
      ArtifactFolder.add(folder, "DEFAULT", CONTENT);
      assertThat(get(server, TOKEN).body()).isEqualTo(CONTENT);

      Files.write(own, Arrays.copyOf(CONTENT, 1_000_000));
      eventually("a truncated file is noticed", () -> isRefused(server));
      ArtifactFolder.add(folder, "DEFAULT", CONTENT);
      assertThat(get(server, TOKEN).body()).isEqualTo(CONTENT);

      byte[] other = CONTENT.clone();
      other[0]++;
      Files.move(Files.write(parent.resolve("other"), other), own, StandardCopyOption.ATOMIC_MOVE);
      eventually("another file in its place is noticed", () -> isRefused(server));
      ArtifactFolder.add(folder, "DEFAULT", CONTENT);
      assertThat(get(server, TOKEN).body()).isEqualTo(CONTENT);

      Path elsewhere = Files.move(folder, parent.resolve("unmounted"));
      Files.createDirectory(folder);
      eventually("an empty mount point is noticed", () -> isRefused(server));
      Files.delete(folder);
      Files.move(elsewhere, folder);
      assertThat(get(server, TOKEN).body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void fetchesWhatItHasNoFolderFor(@TempDir Path data) throws Exception {
    String[] arguments = {
      "--artifact-server.hawkbit.url=" + hawkbit.url(),
      "--artifact-server.hawkbit.pull=true",
      "--artifact-server.hawkbit.pull-streaming=true"
    };
    hawkbit.device("second", "another");
    hawkbit.assign("second", "7");
    hawkbit.stopAfter(1_000_000);
    try (PackagedServer server = PackagedServer.start(data.resolve("data"), arguments)) {
      HttpResponse<byte[]> meanwhile = get(server, TOKEN, "Range", "bytes=100-199");
      assertThat(meanwhile.statusCode()).isEqualTo(206);
      assertThat(meanwhile.body()).isEqualTo(Arrays.copyOfRange(CONTENT, 100, 200));
      try (InputStream whole =
          client
              .send(
                  request(server, FILE.replace("/device/", "/second/"), "TargetToken another"),
                  HttpResponse.BodyHandlers.ofInputStream())
              .body()) {
        // All that hawkBit sent has arrived: bytes on their way would be lost by the cut.
        byte[] before = whole.readNBytes(1_000_000);
        hawkbit.cut();
        assertThat(before).isEqualTo(Arrays.copyOf(CONTENT, before.length));
        assertThat(whole.readAllBytes())
            .isEqualTo(Arrays.copyOfRange(CONTENT, before.length, CONTENT.length));
      }
      assertThat(get(server, TOKEN).body()).isEqualTo(CONTENT);
      assertThat(hawkbit.downloads()).isEqualTo(2);
      assertThat(hawkbit.artifactBytes()).isEqualTo(CONTENT.length);
    }
    try (PackagedServer server = PackagedServer.start(data.resolve("data"), arguments)) {
      assertThat(get(server, TOKEN).body()).isEqualTo(CONTENT);
      assertThat(hawkbit.artifactBytes()).isEqualTo(CONTENT.length);
    }
  }

  /** hawkBit's bytes may have been damaged on their way. */
  @Test
  void noByteLeavesBeforeAllWereCompared(@TempDir Path data) throws Exception {
    hawkbit.stopAfter(1_000_000);
    try (PackagedServer server =
            PackagedServer.start(
                data.resolve("data"),
                "--artifact-server.hawkbit.url=" + hawkbit.url(),
                "--artifact-server.hawkbit.pull=true");
        Operator operator = new Operator(server)) {
      String pulled = "artifact_server_hawkbit_pulled_bytes_total";
      CompletableFuture<HttpResponse<byte[]>> range =
          client.sendAsync(
              withRange(server, "bytes=100-199"), HttpResponse.BodyHandlers.ofByteArray());
      eventually("a part has come", () -> operator.metric(pulled) >= 900_000);
      assertThat(range).isNotDone();
      hawkbit.cut();
      HttpResponse<byte[]> answer = range.get();
      assertThat(answer.statusCode()).isEqualTo(206);
      assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(CONTENT, 100, 200));
      assertThat(operator.metric(pulled)).isEqualTo(CONTENT.length);
    }
  }

  private static HttpRequest withRange(PackagedServer server, String range) {
    return request(server, FILE, TOKEN, "Range", range);
  }

  private void requireRefusal(PackagedServer server) throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = get(server, TOKEN);
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
  }

  /**
   * Whether the answer is 503; until then it is right, or a failure: what is mapped of a truncated
   * file cannot be read.
   */
  private boolean isRefused(PackagedServer server) throws InterruptedException {
    try {
      HttpResponse<byte[]> answer = get(server, TOKEN);
      if (answer.statusCode() == 200) {
        assertThat(answer.body()).isEqualTo(CONTENT);
      } else {
        assertThat(answer.statusCode()).isIn(500, 503);
      }
      return answer.statusCode() == 503;
    } catch (IOException e) {
      return false;
    }
  }

  /** Gives hawkBit the line that docs/operations.md gives an operator, with our address. */
  private void configure(PackagedServer server) throws IOException {
    String line = HawkbitPage.line(server);
    int equals = line.indexOf('=');
    hawkbit.property(line.substring(0, equals), line.substring(equals + 1));
  }

  private String deployment() throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(hawkbit.url() + "/DEFAULT/controller/v1/device/deploymentBase/3"))
            .header("Authorization", TOKEN)
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private HttpResponse<byte[]> get(PackagedServer server, String token, String... fields)
      throws IOException, InterruptedException {
    return send(server, FILE, token, fields);
  }

  private HttpResponse<byte[]> send(
      PackagedServer server, String path, String token, String... fields)
      throws IOException, InterruptedException {
    return client.send(
        request(server, path, token, fields), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static HttpRequest request(
      PackagedServer server, String path, String token, String... fields) {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(path));
    if (!token.isEmpty()) {
      request.header("Authorization", token);
    }
    if (fields.length > 0) {
      request.headers(fields);
    }
    return request.build();
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.testserver.Ports;
import io.artifactserver.rest.hawkbit.ArtifactFolder;
import io.artifactserver.rest.hawkbit.Deployment;
import io.artifactserver.rest.hawkbit.Deployment.Download;
import io.artifactserver.rest.hawkbit.Deployment.UnreadableException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packaged server beside hawkBit itself, version 1.1.0 or later, set up as docs/operations.md
 * says. Skipped, with a message, unless HAWKBIT_JAR names the jar of hawkBit's update server.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RealHawkbitIT {
  private static final byte[] CONTENT = Bytes.random(3_000_000, 24);
  private static final byte[] OTHER_CONTENT = Bytes.random(1_000, 25);
  private static final String FILE_NAME = "fw 1+2.img";
  private static final String GATEWAY_TOKEN = "secret-of-the-gateway";

  private final HttpClient client = HttpClient.newHttpClient();
  private PackagedServer server;
  private RealHawkbit hawkbit;
  private long module;
  private long distributionSet;
  private long otherModule;

  @BeforeAll
  void start(@TempDir Path data, @TempDir Path folder) throws Exception {
    RealHawkbit.assumeNamed();
    int port = Ports.reserve();
    server =
        PackagedServer.start(
            data.resolve("data"),
            "--artifact-server.hawkbit.url=http://127.0.0.1:" + port,
            "--artifact-server.hawkbit.artifacts=" + RealHawkbit.artifacts(folder),
            "--artifact-server.hawkbit.grant-time=1s");
    hawkbit = RealHawkbit.start(folder, port, GATEWAY_TOKEN, HawkbitPage.line(server));
    module = hawkbit.module("os");
    hawkbit.artifact(module, FILE_NAME, CONTENT);
    distributionSet = hawkbit.distributionSet("release", module);
    otherModule = hawkbit.module("another-os");
    hawkbit.artifact(otherModule, "other.img", OTHER_CONTENT);
    assertThat(ArtifactFolder.path(RealHawkbit.artifacts(folder), "DEFAULT", CONTENT))
        .hasBinaryContent(CONTENT);
  }

  @AfterAll
  void stop() {
    client.close();
    if (hawkbit != null) {
      hawkbit.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @Test
  void deploymentLeadsHere() throws Exception {
    String token = assigned("follower");
    Deployment deployment = Deployment.read(hawkbit.deployment("follower", token));
    assertThat(deployment.downloads())
        .containsExactly(
            new Download(
                FILE_NAME,
                CONTENT.length,
                hex(DigestAlgorithm.SHA_1),
                server.uri(path("follower", module, "fw+1%2B2.img"))));
    URI link = deployment.downloads().getFirst().link();
    HttpResponse<byte[]> whole = get(link, token);
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(whole.body()).isEqualTo(CONTENT);
    assertThat(whole.headers().firstValue("ETag"))
        .hasValue('"' + hex(DigestAlgorithm.SHA_256) + '"');

    requireRange(link, token, "bytes=0-0", 0, 1);
    requireRange(link, token, "bytes=1000000-2000000", 1_000_000, 2_000_001);
    requireRange(link, token, "bytes=2999999-", 2_999_999, 3_000_000);
    requireRange(link, token, "bytes=-100", 2_999_900, 3_000_000);
    assertThat(get(link, token, "Range", "bytes=3000000-").statusCode()).isEqualTo(416);
    assertThat(get(link, token, "Range", "bytes=0-9,100-109").headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("multipart/byteranges"));
    // A download that began at hawkBit begins again.
    assertThat(
            get(
                    link,
                    token,
                    "Range",
                    "bytes=100-",
                    "If-Range",
                    '"' + hex(DigestAlgorithm.SHA_1) + '"')
                .statusCode())
        .isEqualTo(200);
    assertThat(get(URI.create(link.toString().replace("+", "%20")), token).body())
        .isEqualTo(CONTENT);
    assertThat(get(URI.create(link.toString().replace("/DEFAULT/", "/default/")), token).body())
        .isEqualTo(CONTENT);
  }

  @Test
  void md5LinkLeadsHereToo() throws Exception {
    String token = assigned("checker");
    String document = hawkbit.deployment("checker", token);
    URI link = URI.create(Deployment.read(document).downloads().getFirst().link() + ".MD5SUM");
    assertThat(document).contains("\"md5sum-http\":{\"href\":\"" + link + "\"}");
    HttpResponse<byte[]> sum = get(link, token);
    assertThat(sum.statusCode()).isEqualTo(200);
    assertThat(new String(sum.body(), StandardCharsets.UTF_8).strip())
        .isEqualTo(hex(DigestAlgorithm.MD5) + "  " + FILE_NAME);
  }

  @Test
  void hawkbitDecidesWhoMayRead() throws Exception {
    String token = assigned("owner");
    hawkbit.device("neighbour", "secret-of-neighbour");
    String neighbour = "TargetToken secret-of-neighbour";
    String own = path("owner", module, "fw%201%2B2.img");
    assertThat(status(own, token)).isEqualTo(206);
    assertThat(status(own, neighbour)).isEqualTo(401);
    assertThat(status(own, "TargetToken nobody's")).isEqualTo(401);
    assertThat(status(path("neighbour", module, "fw%201%2B2.img"), neighbour)).isEqualTo(404);
    assertThat(status(path("owner", otherModule, "other.img"), token)).isEqualTo(404);
    assertThat(status(path("owner", module, "other.img"), token)).isEqualTo(404);

    assertThat(status(own, "GatewayToken " + GATEWAY_TOKEN)).isEqualTo(206);
    assertThat(status(own, "GatewayToken another")).isEqualTo(401);
    assertThat(status(path("neighbour", module, "fw%201%2B2.img"), "GatewayToken " + GATEWAY_TOKEN))
        .isEqualTo(404);
  }

  @Test
  void whatHawkbitWithdrawsEndsWithTheGrant() throws Exception {
    hawkbit.device("leaver", "secret-of-leaver");
    long action = hawkbit.assign("leaver", distributionSet);
    String own = path("leaver", module, "fw%201%2B2.img");
    assertThat(status(own, "TargetToken secret-of-leaver")).isEqualTo(206);
    hawkbit.rotateToken("leaver", "rotated-secret");
    eventually(
        "the old token is refused", () -> status(own, "TargetToken secret-of-leaver") == 401);
    assertThat(status(own, "TargetToken rotated-secret")).isEqualTo(206);
    hawkbit.cancel("leaver", action);
    eventually(
        "what is not assigned is missing", () -> status(own, "TargetToken rotated-secret") == 404);
  }

  @Test
  void knownDevicesGoOnWhileHawkbitIsDown() throws Exception {
    String token = assigned("known");
    String newcomer = assigned("newcomer");
    String own = path("known", module, "fw%201%2B2.img");
    assertThat(status(own, token)).isEqualTo(206);
    hawkbit.stop();
    try {
      assertThat(get(server.uri(own), token).body()).isEqualTo(CONTENT);
      HttpResponse<byte[]> refused =
          get(server.uri(path("newcomer", module, "fw%201%2B2.img")), newcomer);
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    } finally {
      hawkbit.restart();
    }
    eventually(
        "the newcomer is served",
        () -> status(path("newcomer", module, "fw%201%2B2.img"), newcomer) == 206);
  }

  /** The failure that docs/operations.md warns of, seen at hawkBit itself. */
  @Test
  void anotherProtocolMakesAListThatAgentsFailOn() throws Exception {
    String token = assigned("reader");
    hawkbit.stop();
    try {
      hawkbit.restart(HawkbitPage.line(server).replace(".download-http.", ".artifact-server."));
      String document = hawkbit.deployment("reader", token);
      assertThat(document).contains("\"download-http\":[");
      assertThatExceptionOfType(UnreadableException.class)
          .isThrownBy(() -> Deployment.read(document));
    } finally {
      hawkbit.stop();
      hawkbit.restart();
    }
  }

  @Test
  void fetchesWhatItHasNoFolderFor(@TempDir Path data) throws Exception {
    String token = assigned("puller");
    try (PackagedServer pulling =
        PackagedServer.start(
            data.resolve("data"),
            "--artifact-server.hawkbit.url=" + hawkbit.url(),
            "--artifact-server.hawkbit.pull=true")) {
      URI link = pulling.uri(path("puller", module, "fw%201%2B2.img"));
      assertThat(get(link, token).body()).isEqualTo(CONTENT);
      assertThat(get(link, "TargetToken another").statusCode()).isEqualTo(401);
      try (var kept = Files.walk(data)) {
        assertThat(kept.filter(RealHawkbitIT::isContent)).hasSize(1);
      }
    }
  }

  /** Makes a device to which the release is assigned; returns what it sends as Authorization. */
  private String assigned(String controllerId) throws IOException, InterruptedException {
    String token = "secret-of-" + controllerId;
    hawkbit.device(controllerId, token);
    hawkbit.assign(controllerId, distributionSet);
    return "TargetToken " + token;
  }

  private static String path(String controllerId, long module, String encodedName) {
    return "/DEFAULT/controller/v1/%s/softwaremodules/%d/artifacts/%s"
        .formatted(controllerId, module, encodedName);
  }

  private void requireRange(URI link, String token, String range, int first, int end)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = get(link, token, "Range", range);
    assertThat(answer.statusCode()).as(range).isEqualTo(206);
    assertThat(answer.headers().firstValue("Content-Range"))
        .hasValue("bytes %d-%d/%d".formatted(first, end - 1, CONTENT.length));
    assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(CONTENT, first, end));
  }

  private int status(String path, String authorization) throws IOException, InterruptedException {
    return get(server.uri(path), authorization, "Range", "bytes=0-9").statusCode();
  }

  private HttpResponse<byte[]> get(URI address, String authorization, String... fields)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address).header("Authorization", authorization);
    if (fields.length > 0) {
      request.headers(fields);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static boolean isContent(Path file) {
    try {
      return Files.isRegularFile(file) && Files.size(file) == CONTENT.length;
    } catch (IOException _) {
      return false;
    }
  }

  private static String hex(DigestAlgorithm algorithm) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(CONTENT))
        .hex()
        .toLowerCase(Locale.ROOT);
  }
}

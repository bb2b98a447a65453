package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.endtoend.Client.Result;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Uploads by tus-js-client and tuspy, whose connections break. They know no HTTP/2, and take the
 * newest TLS.
 */
@Transports(value = Transport.HTTP1, nightly = Transport.TLS13)
class RealUploadersIT extends EachTransport {
  private static final int LENGTH = 12_000_000;
  private static final int CUTS = 6;

  /** Between two cuts of an upload there are at most as many bytes. */
  private static final int MOST = 1_000_000;

  private static final int FEWEST = 200_000;
  private static final int RETRIES = 50;

  private final byte[] content = Bytes.random(LENGTH, 61);
  private final Random random = new Random(62);
  @TempDir private Path folder;
  private Operator operator;
  private Client client;
  private RecordingRelay relay;

  @BeforeEach
  void connect() throws Exception {
    operator = server.operator();
    client = new Client(folder, server);
    relay = new RecordingRelay(server);
    Files.write(folder.resolve("firmware.img"), content);
  }

  @AfterEach
  void disconnect() throws IOException {
    relay.close();
    operator.close();
  }

  @ParameterizedTest
  @CsvSource({"public, 1", "encrypted, 1", "public, 4", "encrypted, 4"})
  void tusJsClientGoesOnAfterEachCut(String repository, String parts) throws Exception {
    String path = path("js", repository, parts);
    String[] command = javascript(repository, path, sha256(), parts, RETRIES);
    planCuts();
    assertThat(client.succeeds(command)).isEqualToIgnoringNewLines("0");
    assertUploadedOnce(repository, path, uploads(parts));
  }

  @ParameterizedTest
  @CsvSource({"public, 1", "encrypted, 1", "public, 4", "encrypted, 4"})
  void tusJsClientGoesOnInAnotherProcess(String repository, String parts) throws Exception {
    String path = path("js-again", repository, parts);
    relay.cutRequestsAfter(LENGTH / 8, false);
    Result stopped = client.run(javascript(repository, path, sha256(), parts, 0));
    assertThat(stopped.exitCode()).as(stopped.output()).isEqualTo(1);
    // A newer request ends an older one before that has read all that came.
    eventually("some bytes are there", () -> hasBytes(path));
    assertThat(client.succeeds(javascript(repository, path, sha256(), parts, RETRIES)))
        .isEqualToIgnoringNewLines("1");
    assertUploadedOnce(repository, path, uploads(parts));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "4"})
  void tusJsClientLearnsThatTheDigestIsWrong(String parts) throws Exception {
    String path = path("js-wrong", "public", parts);
    Result refused = client.run(javascript("public", path, "0".repeat(64), parts, RETRIES));
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.output()).contains("response code: 400", sha256());
    assertThat(operator.download("/artifacts/public/" + path).statusCode()).isEqualTo(404);
  }

  /** With a checksum of each request, nothing is kept of one that is cut. */
  @ParameterizedTest
  @CsvSource({"public, none", "encrypted, none", "public, checksum", "encrypted, checksum"})
  void tuspyGoesOnAfterEachCut(String repository, String checksum) throws Exception {
    String path = path("python", repository, checksum);
    String[] command = python(repository, path, checksum, 0);
    planCuts();
    client.succeeds(command);
    assertUploadedOnce(repository, path, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"public", "encrypted"})
  void tuspyGoesOnInAnotherProcess(String repository) throws Exception {
    String path = path("python-again", repository, "checksum");
    client.succeeds(python(repository, path, "checksum", LENGTH / 2));
    client.succeeds(python(repository, path, "checksum", 0));
    assertUploadedOnce(repository, path, 1);
  }

  private boolean hasBytes(String path) throws Exception {
    for (JsonNode upload :
        JsonMapper.shared().readTree(operator.get(TusClient.PATH).body()).path("uploads")) {
      if (upload.path("path").asString().equals(path) && upload.path("position").asLong() > 0) {
        return true;
      }
    }
    return false;
  }

  private void planCuts() {
    for (int i = 0; i < CUTS; i++) {
      relay.cutRequestsAfter(random.nextInt(FEWEST, MOST), i % 2 == 0);
    }
  }

  /** And byte for byte, with nothing left beside it. */
  private void assertUploadedOnce(String repository, String path, int uploads) throws Exception {
    assertThat(relay.isAllCut()).isTrue();
    HttpResponse<byte[]> download = operator.download("/artifacts/" + repository + '/' + path);
    assertThat(download.body()).isEqualTo(content);
    assertThat(download.headers().firstValue("Content-Type")).hasValue("application/x-firmware");
    assertThat(operator.get(TusClient.PATH).body()).doesNotContain(path);
    if (relay.isReadable()) {
      assertThat(relay.requests("POST /api/v1/uploads HTTP")).isEqualTo(uploads);
      assertThat(relay.requests("(?i)\r\nUpload-Offset: [1-9]")).isPositive();
    }
  }

  private String[] javascript(
      String repository, String path, String sha256, String parts, int retries) throws IOException {
    return TusClients.javascript(
        relay.url(TusClient.PATH),
        server.operatorToken(),
        repository,
        path,
        sha256,
        parts,
        String.valueOf(retries));
  }

  private String[] python(String repository, String path, String checksum, int stopAt)
      throws IOException {
    return TusClients.python(
        relay.url(TusClient.PATH),
        server.operatorToken(),
        repository,
        path,
        sha256(),
        checksum,
        String.valueOf(stopAt));
  }

  private String path(String test, String repository, String kind) {
    return "uploaders/%s-%s-%s-%s".formatted(transport, test, repository, kind);
  }

  /** Each of the parts is one, and so is the whole. */
  private static int uploads(String parts) {
    return parts.equals("1") ? 1 : Integer.parseInt(parts) + 1;
  }

  private String sha256() {
    return Digest.of(
            DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(content))
        .hex();
  }
}

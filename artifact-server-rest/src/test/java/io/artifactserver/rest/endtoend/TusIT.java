package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Uploads over several requests, by tus 1.0.0. */
@ExtendWith(SharedServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TusIT {
  private static final int LENGTH = 3_000_000;

  private final byte[] content = Bytes.random(LENGTH, 48);
  private PackagedServer server;
  private Operator operator;
  private TusClient client;
  private Set<String> filesOfOthers = Set.of();

  @BeforeAll
  void connect(PackagedServer shared) throws Exception {
    server = shared;
    operator = new Operator(server);
    operator.createRepository("tus", true);
    operator.createEncryptedRepository("tus-vault");
    client = new TusClient(server, server.operatorToken());
    filesOfOthers = server.unfinishedFiles();
  }

  @AfterAll
  void disconnect() {
    client.close();
    operator.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tus", "tus-vault"})
  void anUploadOverSeveralRequestsBecomesAnArtifact(String repository) throws Exception {
    String upload = client.begin(repository, "several", LENGTH);
    assertThat(client.offset(upload)).isZero();
    int first = 1_234_567;
    HttpResponse<String> part = client.patch(upload, 0, Arrays.copyOf(content, first));
    assertThat(part.statusCode()).isEqualTo(204);
    assertThat(part.headers().firstValueAsLong("Upload-Offset")).hasValue(first);
    assertThat(part.headers().firstValue("Upload-Expires")).isPresent();
    HttpResponse<String> head = client.send("HEAD", upload, new byte[0]);
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.headers().firstValueAsLong("Upload-Offset")).hasValue(first);
    assertThat(head.headers().firstValueAsLong("Upload-Length")).hasValue(LENGTH);
    assertThat(head.headers().firstValue("Cache-Control")).hasValue("no-store");
    assertThat(head.headers().firstValue("Tus-Resumable")).hasValue("1.0.0");
    assertThat(operator.unfinishedUpload(upload)).contains("\"position\":" + first);
    HttpResponse<String> last =
        client.patch(upload, first, Arrays.copyOfRange(content, first, LENGTH));
    assertThat(last.statusCode()).isEqualTo(204);
    assertThat(last.headers().firstValueAsLong("Upload-Offset")).hasValue(LENGTH);
    assertThat(last.headers().firstValue("ETag")).hasValue('"' + sha256(content).hex() + '"');
    assertThat(last.headers().firstValue("Content-Location"))
        .hasValue("/api/v1/repositories/" + repository + "/artifacts/several");
    assertThat(operator.download("/artifacts/" + repository + "/several").body())
        .isEqualTo(content);
    // The last answer may have been lost.
    assertThat(client.offset(upload)).isEqualTo(LENGTH);
    assertThat(operator.unfinishedUpload(upload)).isEmpty();
    requireNoNewFiles();
  }

  @Test
  void aNewerRequestEndsAnOlderOneAndGetsTheTrueOffsetAtOnce() throws Exception {
    String upload = client.begin("tus", "newer", LENGTH);
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\n"
                  .formatted(upload, server.operatorToken())
              + "Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n"
              + "Content-Length: %d\r\n\r\n".formatted(LENGTH));
      wire.sendBytes(content, 0, 100_000);
      eventually(
          "the bytes are there",
          () -> operator.unfinishedUpload(upload).contains("\"position\":100000"));
      try (Wire newer = new Wire(server.port())) {
        // The wire gives up before the server ends a request that is frozen.
        newer.send(
            "HEAD %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\n\r\n"
                .formatted(upload, server.operatorToken()));
        assertThat(newer.receive(false).field("Upload-Offset")).contains("100000");
      }
      eventually(
          "the older request is over",
          () -> !operator.unfinishedUpload(upload).contains("\"open\":true"));
    }
    assertThat(
            client
                .patch(upload, 100_000, Arrays.copyOfRange(content, 100_000, LENGTH))
                .statusCode())
        .isEqualTo(204);
    assertThat(operator.download("/artifacts/tus/newer").body()).isEqualTo(content);
  }

  @Test
  void whatCameBeforeAConnectionBrokeIsKept() throws Exception {
    String upload = client.begin("tus", "broken", LENGTH);
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\n"
                  .formatted(upload, server.operatorToken())
              + "Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n"
              + "Content-Length: %d\r\n\r\n".formatted(LENGTH));
      wire.sendBytes(content, 0, 777_777);
    }
    // A HEAD would end the older request before it has read all that came.
    eventually(
        "it is there", () -> operator.unfinishedUpload(upload).contains("\"position\":777777"));
    assertThat(client.offset(upload)).isEqualTo(777_777);
    client.patch(upload, 777_777, Arrays.copyOfRange(content, 777_777, LENGTH));
    assertThat(operator.download("/artifacts/tus/broken").body()).isEqualTo(content);
  }

  @Test
  void theFirstBytesMayComeWithTheCreation() throws Exception {
    HttpResponse<String> created =
        client.send(
            "POST",
            TusClient.PATH,
            Arrays.copyOf(content, 1_000),
            "Upload-Length",
            "2000",
            "Content-Type",
            "application/offset+octet-stream",
            "Upload-Metadata",
            TusClient.metadata(Map.of("repository", "tus", "path", "with-creation")));
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(created.headers().firstValueAsLong("Upload-Offset")).hasValue(1_000);
    String upload = created.headers().firstValue("Location").orElseThrow();
    client.patch(upload, 1_000, Arrays.copyOfRange(content, 1_000, 2_000));
    assertThat(operator.download("/artifacts/tus/with-creation").body())
        .isEqualTo(Arrays.copyOf(content, 2_000));
  }

  @Test
  void theLengthMayComeLater() throws Exception {
    HttpResponse<String> created =
        client.create(
            "Upload-Defer-Length",
            "1",
            "Upload-Metadata",
            TusClient.metadata(Map.of("repository", "tus", "path", "deferred")));
    String upload = created.headers().firstValue("Location").orElseThrow();
    client.patch(upload, 0, Arrays.copyOf(content, 1_000));
    assertThat(client.send("HEAD", upload, new byte[0]).headers().firstValue("Upload-Defer-Length"))
        .hasValue("1");
    HttpResponse<String> last =
        client.patch(
            upload, 1_000, Arrays.copyOfRange(content, 1_000, 2_000), "Upload-Length", "2000");
    assertThat(last.headers().firstValue("Content-Location")).isPresent();
    assertThat(operator.download("/artifacts/tus/deferred").body())
        .isEqualTo(Arrays.copyOf(content, 2_000));
  }

  /** Extension creation: metadata is told as it was sent, with all that means nothing here. */
  @Test
  void aHeadTellsTheMetadataThatWasSent() throws Exception {
    String metadata =
        TusClient.metadata(
                Map.of(
                    "repository", "tus", "path", "described", "nonlatin", "słońce", "number", "1"))
            + ",is_confidential";
    HttpResponse<String> created = client.create("Upload-Length", "1", "Upload-Metadata", metadata);
    String upload = created.headers().firstValue("Location").orElseThrow();
    for (int i = 0; i < 2; i++) {
      assertThat(client.send("HEAD", upload, new byte[0]).headers().firstValue("Upload-Metadata"))
          .hasValue(metadata);
      assertThat(client.patch(upload, i, Arrays.copyOf(content, 1 - i)).statusCode())
          .isEqualTo(i == 0 ? 204 : 409);
    }
    String tooLong = metadata + ",note " + "A".repeat(4096);
    assertThat(client.create("Upload-Length", "1", "Upload-Metadata", tooLong).body())
        .contains("Upload-Metadata", "4096");
  }

  @Test
  void theEmptyArtifactNeedsNoBytes() throws Exception {
    client.begin("tus", "empty", 0);
    assertThat(operator.download("/artifacts/tus/empty").body()).isEmpty();
  }

  @Test
  void bytesWithAnotherChecksumAreDropped() throws Exception {
    byte[] bytes = Arrays.copyOf(content, 2_000);
    String upload = client.begin("tus", "checksum", bytes.length);
    byte[] first = Arrays.copyOf(bytes, 1_000);
    byte[] second = Arrays.copyOfRange(bytes, 1_000, 2_000);
    String right = "sha1 " + digest(DigestAlgorithm.SHA_1, first).base64();
    assertThat(client.patch(upload, 0, first, "Upload-Checksum", right).statusCode())
        .isEqualTo(204);
    HttpResponse<String> wrong = client.patch(upload, 1_000, second, "Upload-Checksum", right);
    assertThat(wrong.statusCode()).isEqualTo(460);
    assertThat(wrong.body()).contains("Checksum mismatch");
    assertThat(client.offset(upload)).isEqualTo(1_000);
    assertThat(client.patch(upload, 1_000, second, "Upload-Checksum", "sha1 AAAA").statusCode())
        .isEqualTo(400);
    assertThat(client.patch(upload, 1_000, second).statusCode()).isEqualTo(204);
    assertThat(operator.download("/artifacts/tus/checksum").body()).isEqualTo(bytes);
  }

  /** Encrypted bytes are never replaced: the nonce of a segment is good for one content. */
  @Test
  void anEncryptedUploadIsOverWhenOtherBytesComeInThePlaceOfWrongOnes() throws Exception {
    byte[] bytes = Arrays.copyOf(content, 300_000);
    byte[] wrong = bytes.clone();
    wrong[200_000] ^= 1;
    String upload = client.begin("tus-vault", "checksum", bytes.length);
    client.patch(upload, 0, Arrays.copyOf(bytes, 1_000));
    byte[] rest = Arrays.copyOfRange(bytes, 1_000, bytes.length);
    String checksum = "sha256 " + sha256(rest).base64();
    byte[] wrongRest = Arrays.copyOfRange(wrong, 1_000, wrong.length);
    assertThat(client.patch(upload, 1_000, wrongRest, "Upload-Checksum", checksum).statusCode())
        .isEqualTo(460);
    assertThat(client.offset(upload)).isEqualTo(1_000);
    HttpResponse<String> again = client.patch(upload, 1_000, rest, "Upload-Checksum", checksum);
    assertThat(again.statusCode()).isEqualTo(404);
    assertThat(again.body()).contains("Begin a new one");
    assertThat(client.offset(upload)).isEqualTo(-1);
  }

  @Test
  void anUploadIsEndedOnRequest() throws Exception {
    String upload = client.begin("tus", "ended", LENGTH);
    client.patch(upload, 0, Arrays.copyOf(content, 1_000_000));
    assertThat(client.send("DELETE", upload, new byte[0]).statusCode()).isEqualTo(204);
    assertThat(client.send("DELETE", upload, new byte[0]).statusCode()).isEqualTo(404);
    assertThat(client.send("HEAD", upload, new byte[0]).statusCode()).isEqualTo(404);
    assertThat(client.patch(upload, 1_000_000, content).statusCode()).isEqualTo(404);
    requireNoNewFiles();
  }

  @Test
  void aWrongOffsetIsAnsweredWithTheRightOne() throws Exception {
    String upload = client.begin("tus", "offset", LENGTH);
    client.patch(upload, 0, Arrays.copyOf(content, 1_000));
    HttpResponse<String> wrong = client.patch(upload, 999, content);
    assertThat(wrong.statusCode()).isEqualTo(409);
    assertThat(wrong.headers().firstValueAsLong("Upload-Offset")).hasValue(1_000);
    assertThat(client.patch(upload, 1_000, content).statusCode())
        .as("more than there is room for")
        .isEqualTo(400);
    assertThat(client.send("PATCH", upload, content, "Upload-Offset", "1000").statusCode())
        .isEqualTo(415);
    assertThat(client.patch(upload, 1_000, content, "Tus-Resumable", "0.2.2").statusCode())
        .isEqualTo(412);
    client.send("DELETE", upload, new byte[0]);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Upload-Length: 5         | repository=tus,path=ok,sha256=12  | 400 | 64 hexadecimal",
        "Upload-Length: 5         | repository=tus                    | 400 | path",
        "Upload-Length: 5         | path=x                            | 400 | repository",
        "Upload-Length: 5         | repository=tus,path=../x          | 400 | Invalid name",
        "Upload-Length: 5         | repository=tus,path=a,mediaType=* | 400 | media type",
        "Upload-Length: 5         | repository=absent,path=x          | 404 | absent",
        "Upload-Length: -5        | repository=tus,path=x             | 400 | number of bytes",
        "Upload-Length: 1e3       | repository=tus,path=x             | 400 | number of bytes",
        "Upload-Defer-Length: 2   | repository=tus,path=x             | 400 | Upload-Defer-Length",
        "X-Nothing: 2             | repository=tus,path=x             | 400 | Upload-Defer-Length",
        "Upload-Length: 99999999999999999 | repository=tus,path=x     | 413 | max-artifact-size",
      })
  void aRefusalSaysWhatToDo(String field, String metadata, int status, String detail)
      throws Exception {
    String pairs =
        Stream.of(metadata.split(","))
            .map(pair -> pair.split("=", 2))
            .map(pair -> TusClient.metadata(Map.of(pair[0], pair[1])))
            .reduce((a, b) -> a + "," + b)
            .orElseThrow();
    HttpResponse<String> refused =
        client.create(field.split(": ")[0], field.split(": ")[1].strip(), "Upload-Metadata", pairs);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(status);
    assertThat(refused.body()).contains(detail);
    assertThat(refused.headers().firstValue("Tus-Resumable")).hasValue("1.0.0");
  }

  @Test
  void otherBytesThanThoseOfThePathAreRefusedBeforeTheyComeOrAtTheEnd() throws Exception {
    byte[] bytes = Arrays.copyOf(content, 100);
    operator.put("tus", "taken", bytes);
    HttpResponse<String> early =
        client.create(
            "Upload-Length",
            "3",
            "Upload-Metadata",
            TusClient.metadata(
                Map.of("repository", "tus", "path", "taken", "sha256", "0".repeat(64))));
    assertThat(early.statusCode()).isEqualTo(409);
    String late = client.begin("tus", "taken", 3);
    assertThat(client.patch(late, 0, new byte[3]).statusCode()).isEqualTo(409);
    assertThat(client.offset(late)).isEqualTo(-1);
    String same = client.begin("tus", "taken", 100);
    assertThat(client.patch(same, 0, bytes).statusCode()).isEqualTo(204);
  }

  @Test
  void bytesWithAnotherDigestAreNotKept() throws Exception {
    HttpResponse<String> created =
        client.create(
            "Upload-Length",
            "3",
            "Upload-Metadata",
            TusClient.metadata(
                Map.of("repository", "tus", "path", "digest", "sha256", "0".repeat(64))));
    String upload = created.headers().firstValue("Location").orElseThrow();
    HttpResponse<String> refused = client.patch(upload, 0, new byte[3]);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains(sha256(new byte[3]).hex());
    assertThat(operator.download("/artifacts/tus/digest").statusCode()).isEqualTo(404);
    assertThat(client.offset(upload)).isEqualTo(-1);
  }

  @Test
  void aScopeHoldsForUploadsToo() throws Exception {
    String token =
        JsonMapper.shared()
            .readTree(
                operator
                    .json(
                        "POST",
                        "/api/v1/tokens",
                        "{\"name\":\"scoped\",\"role\":\"publisher\",\"expires\":\"1h\","
                            + "\"paths\":[\"stable\"]}")
                    .body())
            .get("token")
            .asString();
    String other = client.begin("tus", "beta/x", 3);
    try (TusClient scoped = new TusClient(server, token)) {
      assertThat(
              scoped
                  .create(
                      "Upload-Length",
                      "3",
                      "Upload-Metadata",
                      TusClient.metadata(Map.of("repository", "tus", "path", "beta/x")))
                  .statusCode())
          .isEqualTo(403);
      assertThat(scoped.send("HEAD", other, new byte[0]).statusCode()).isEqualTo(403);
      assertThat(scoped.patch(other, 0, new byte[3]).statusCode()).isEqualTo(403);
      assertThat(scoped.send("DELETE", other, new byte[0]).statusCode()).isEqualTo(403);
      String own = scoped.begin("tus", "stable/x", 3);
      assertThat(scoped.patch(own, 0, new byte[3]).statusCode()).isEqualTo(204);
    }
    client.send("DELETE", other, new byte[0]);
  }

  @Test
  void optionsTellWhatIsKnownHere() throws Exception {
    HttpResponse<String> options = client.send("OPTIONS", TusClient.PATH, new byte[0]);
    assertThat(options.statusCode()).isEqualTo(204);
    assertThat(options.headers().firstValue("Tus-Version")).hasValue("1.0.0");
    assertThat(options.headers().firstValue("Tus-Extension").orElseThrow())
        .contains("creation-with-upload", "termination", "checksum");
    assertThat(options.headers().firstValue("Tus-Checksum-Algorithm").orElseThrow())
        .contains("sha1", "sha256");
  }

  private void requireNoNewFiles() {
    eventuallyPasses(
        "nothing is left", () -> assertThat(filesOfOthers).containsAll(server.unfinishedFiles()));
  }

  private static Digest sha256(byte[] bytes) {
    return digest(DigestAlgorithm.SHA_256, bytes);
  }

  private static Digest digest(DigestAlgorithm algorithm, byte[] bytes) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(bytes));
  }
}

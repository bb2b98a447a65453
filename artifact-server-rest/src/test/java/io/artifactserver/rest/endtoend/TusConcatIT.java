package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploads in parallel parts, by the extension concatenation of tus 1.0.0. */
@ExtendWith(SharedServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TusConcatIT {
  private static final int LENGTH = 3_000_000;
  private static final int PARTS = 32;
  private static final String CONCAT = "Upload-Concat";

  private final byte[] content = Bytes.random(LENGTH, 53);
  private PackagedServer server;
  private Operator operator;
  private TusClient client;

  @BeforeAll
  void connect(PackagedServer shared) throws Exception {
    server = shared;
    operator = new Operator(server);
    operator.createRepository("concat", true);
    operator.createEncryptedRepository("concat-vault");
    client = new TusClient(server, server.operatorToken());
  }

  @AfterAll
  void disconnect() {
    client.close();
    operator.close();
  }

  /** The whole upload is created first, and is there with the last byte of the last part. */
  @ParameterizedTest
  @ValueSource(strings = {"concat", "concat-vault"})
  void partsThatComeInParallelBecomeAnArtifact(String repository) throws Exception {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < PARTS; i++) {
      parts.add(part(repository, "parallel", end(i) - end(i - 1)));
    }
    HttpResponse<String> whole = whole(repository, "parallel", parts);
    assertThat(whole.statusCode()).isEqualTo(201);
    String upload = whole.headers().firstValue("Location").orElseThrow();
    HttpResponse<String> waiting = client.send("HEAD", upload, new byte[0]);
    assertThat(waiting.statusCode()).isEqualTo(200);
    assertThat(waiting.headers().firstValue("Upload-Offset")).isEmpty();
    assertThat(waiting.headers().firstValue(CONCAT)).contains("final;" + String.join(" ", parts));
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> sent = new ArrayList<>();
      for (int i = PARTS - 1; i >= 0; i--) {
        byte[] bytes = Arrays.copyOfRange(content, end(i - 1), end(i));
        String part = parts.get(i);
        sent.add(
            executor.submit(() -> {
              int half = bytes.length / 2;
              client.patch(part, 0, Arrays.copyOf(bytes, half));
              return client
                  .patch(part, half, Arrays.copyOfRange(bytes, half, bytes.length))
                  .statusCode();
            }));
      }
      for (Future<Integer> each : sent) {
        assertThat(each.get()).isEqualTo(204);
      }
    }
    HttpResponse<String> head = client.send("HEAD", upload, new byte[0]);
    assertThat(head.headers().firstValueAsLong("Upload-Offset")).hasValue(LENGTH);
    assertThat(head.headers().firstValueAsLong("Upload-Length")).hasValue(LENGTH);
    assertThat(operator.download("/artifacts/" + repository + "/parallel").body())
        .isEqualTo(content);
    // The bytes are the artifact's now.
    assertThat(client.send("HEAD", parts.getFirst(), new byte[0]).statusCode()).isEqualTo(404);
    assertThat(operator.get(TusClient.PATH).body()).doesNotContain("parallel");
    assertThat(operator.get("/api/v1/repositories/" + repository + "/quota").body())
        .contains("\"reserved\":{\"bytes\":0,\"artifacts\":0}");
  }

  @Test
  void partsThatAreThereBecomeAnArtifactAtOnce() throws Exception {
    String first = part("concat", "at-once", 1_000);
    String second = part("concat", "at-once", 500);
    assertThat(client.patch(first, 0, Arrays.copyOf(content, 1_000)).statusCode()).isEqualTo(204);
    assertThat(client.send("HEAD", first, new byte[0]).headers().firstValue(CONCAT))
        .contains("partial");
    assertThat(client.patch(second, 0, Arrays.copyOfRange(content, 1_000, 1_500)).statusCode())
        .isEqualTo(204);
    HttpResponse<String> whole =
        whole("concat", "at-once", List.of(server.uri(first).toString(), second));
    assertThat(whole.statusCode()).isEqualTo(201);
    assertThat(whole.headers().firstValue("Content-Location"))
        .contains("/api/v1/repositories/concat/artifacts/at-once");
    assertThat(operator.download("/artifacts/concat/at-once").body())
        .isEqualTo(Arrays.copyOf(content, 1_500));
    String upload = whole.headers().firstValue("Location").orElseThrow();
    assertThat(client.offset(upload)).isEqualTo(1_500);
  }

  @Test
  void aWholeTakesNoBytesAndItsDigestIsChecked() throws Exception {
    String part = part("concat", "checked", 10);
    HttpResponse<String> whole =
        client.create(
            CONCAT,
            "final;" + part,
            "Upload-Metadata",
            TusClient.metadata(
                Map.of("repository", "concat", "path", "checked", "sha256", "0".repeat(64))));
    String upload = whole.headers().firstValue("Location").orElseThrow();
    assertThat(client.patch(upload, 0, new byte[10]).statusCode()).isEqualTo(403);
    assertThat(client.patch(part, 0, new byte[10]).statusCode()).isEqualTo(204);
    assertThat(client.send("HEAD", upload, new byte[0]).statusCode()).isEqualTo(404);
    assertThat(operator.download("/artifacts/concat/checked").statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "final;                  | 400",
        "final;/etc/passwd       | 400",
        "final;/api/v1/uploads/x | 400",
        "final;PART PART         | 400",
        "final;/api/v1/uploads/00000000000000000000000000000000 | 404",
        "final;ORDINARY          | 404",
        "final;VAULT             | 400",
        "finally                 | 400",
        "partial;x               | 400",
      })
  void whatIsNoPartIsRefused(String field, int status) throws Exception {
    String part = part("concat", "none", 10);
    String vault = part("concat-vault", "none", 10);
    String ordinary = client.begin("concat", "none", 10);
    HttpResponse<String> refused =
        client.create(
            CONCAT,
            field.replace("PART", part).replace("ORDINARY", ordinary).replace("VAULT", vault),
            "Upload-Metadata",
            TusClient.metadata(Map.of("repository", "concat", "path", "none")));
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(status);
    for (String each : List.of(part, vault, ordinary)) {
      // As a client that knows no DELETE.
      HttpResponse<String> ended =
          client.send("POST", each, new byte[0], "X-HTTP-Method-Override", "DELETE");
      assertThat(ended.statusCode()).isEqualTo(204);
    }
  }

  @Test
  void aClientWithoutPatchNamesItInAField() throws Exception {
    String upload = client.begin("concat", "override", 1_000);
    byte[] bytes = Arrays.copyOf(content, 1_000);
    HttpResponse<String> sent =
        client.send(
            "POST",
            upload,
            bytes,
            "X-HTTP-Method-Override",
            "PATCH",
            "Upload-Offset",
            "0",
            "Content-Type",
            "application/offset+octet-stream");
    assertThat(sent.statusCode()).isEqualTo(204);
    assertThat(operator.download("/artifacts/concat/override").body()).isEqualTo(bytes);
    HttpResponse<String> other =
        client.send("POST", upload, new byte[0], "X-HTTP-Method-Override", "TRACE");
    assertThat(other.statusCode()).isEqualTo(405);
  }

  private String part(String repository, String path, int length) throws Exception {
    HttpResponse<String> created =
        client.create(
            CONCAT,
            "partial",
            "Upload-Length",
            String.valueOf(length),
            "Upload-Metadata",
            TusClient.metadata(Map.of("repository", repository, "path", path)));
    assertThat(created.statusCode()).isEqualTo(201);
    return created.headers().firstValue("Location").orElseThrow();
  }

  private HttpResponse<String> whole(String repository, String path, List<String> parts)
      throws Exception {
    return client.create(
        CONCAT,
        "final;" + String.join(" ", parts),
        "Upload-Metadata",
        TusClient.metadata(Map.of("repository", repository, "path", path)));
  }

  private static int end(int part) {
    return (int) ((long) LENGTH * (part + 1) / PARTS);
  }
}

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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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

  /** A token that was taken away makes no artifact by what others send. */
  @Test
  void anUploadOfARevokedTokenWaitsForOneThatIsGood() throws Exception {
    JsonNode revoked = token("revoked");
    try (TusClient first = new TusClient(server, revoked.get("token").asString());
        TusClient second = new TusClient(server, token("good").get("token").asString())) {
      String part = part(first, "concat", "revoked", 10);
      String whole = location(whole(first, "concat", "revoked", List.of(part)));
      assertThat(operator.delete("/api/v1/tokens/" + revoked.get("id").asString()).statusCode())
          .isEqualTo(204);
      byte[] bytes = Arrays.copyOf(content, 10);
      assertThat(first.patch(part, 0, bytes).statusCode()).isEqualTo(401);
      assertThat(second.patch(part, 0, bytes).statusCode()).isEqualTo(204);
      assertThat(operator.download("/artifacts/concat/revoked").statusCode()).isEqualTo(404);
      assertThat(first.send("HEAD", whole, new byte[0]).statusCode()).isEqualTo(401);
      assertThat(operator.download("/artifacts/concat/revoked").statusCode()).isEqualTo(404);
      // By its own right.
      assertThat(second.offset(whole)).isEqualTo(10);
      assertThat(operator.download("/artifacts/concat/revoked").body()).isEqualTo(bytes);
    }
  }

  @Test
  void onlyTheWholeCountsAsAnArtifact() throws Exception {
    operator.createRepository("concat-quota", true);
    assertThat(
            operator
                .json(
                    "PUT",
                    "/api/v1/repositories/concat-quota/quota",
                    "{\"bytes\": %d, \"artifacts\": 1}".formatted(LENGTH))
                .statusCode())
        .isEqualTo(200);
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < PARTS; i++) {
      String part = part("concat-quota", "counted", end(i) - end(i - 1));
      byte[] bytes = Arrays.copyOfRange(content, end(i - 1), end(i));
      assertThat(client.patch(part, 0, bytes).statusCode()).isEqualTo(204);
      parts.add(part);
    }
    String quota = "/api/v1/repositories/concat-quota/quota";
    assertThat(operator.get(quota).body())
        .contains("\"reserved\":{\"bytes\":%d,\"artifacts\":0}".formatted(LENGTH));
    HttpResponse<String> whole = whole("concat-quota", "counted", parts);
    assertThat(whole.statusCode()).as(whole.body()).isEqualTo(201);
    assertThat(operator.download("/artifacts/concat-quota/counted").body()).isEqualTo(content);
    assertThat(operator.get(quota).body())
        .contains("\"used\":{\"bytes\":%d,\"artifacts\":1}".formatted(LENGTH))
        .contains("\"reserved\":{\"bytes\":0,\"artifacts\":0}");
  }

  @Test
  void aPartIsOfOneUpload() throws Exception {
    operator.createRepository("concat-race", true);
    byte[] bytes = Arrays.copyOf(content, 1_000_000);
    String part = part("concat-race", "race", bytes.length);
    assertThat(client.patch(part, 0, bytes).statusCode()).isEqualTo(204);
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String path = "race-" + i;
        answers.add(executor.submit(() -> whole("concat-race", path, List.of(part))));
      }
      int made = 0;
      for (Future<HttpResponse<String>> each : answers) {
        HttpResponse<String> answer = each.get();
        assertThat(answer.statusCode()).as(answer.body()).isIn(201, 404, 409);
        made += answer.statusCode() == 201 ? 1 : 0;
      }
      assertThat(made).isOne();
    }
    assertThat(operator.get("/api/v1/repositories/concat-race/quota").body())
        .contains("\"used\":{\"bytes\":1000000,\"artifacts\":1}")
        .contains("\"reserved\":{\"bytes\":0,\"artifacts\":0}");
    assertThat(operator.get(TusClient.PATH).body()).doesNotContain("concat-race");
  }

  /** Its answer may have been lost. */
  @Test
  void aClientThatRepeatsItselfGetsTheSameUpload() throws Exception {
    String part = part("concat", "again", 10);
    String whole = location(whole("concat", "again", List.of(part)));
    assertThat(location(whole("concat", "again", List.of(part)))).isEqualTo(whole);
    HttpResponse<String> other = whole("concat", "another", List.of(part));
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(JsonMapper.shared().readTree(other.body()).get("upload").asString())
        .isEqualTo(whole);
    assertThat(client.patch(part, 0, Arrays.copyOf(content, 10)).statusCode()).isEqualTo(204);
    assertThat(client.offset(whole)).isEqualTo(10);
  }

  @Test
  void theListHasPages() throws Exception {
    List<String> begun = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      begun.add(client.begin("concat", "page-" + i, 10));
    }
    List<String> found = new ArrayList<>();
    String next = TusClient.PATH + "?limit=1";
    while (!next.isEmpty()) {
      HttpResponse<String> page = operator.get(next);
      JsonNode body = JsonMapper.shared().readTree(page.body());
      assertThat(body.get("uploads")).hasSize(1);
      found.add(TusClient.PATH + '/' + body.get("uploads").get(0).get("id").asString());
      next = body.path("next").asString("");
      assertThat(page.headers().firstValue("Link").isPresent()).isEqualTo(!next.isEmpty());
    }
    assertThat(found).containsAll(begun).isSorted().doesNotHaveDuplicates();
    for (String limit : List.of("0", "1001", "x")) {
      assertThat(operator.get(TusClient.PATH + "?limit=" + limit).statusCode()).isEqualTo(400);
    }
    for (String each : begun) {
      assertThat(operator.delete(each).statusCode()).isEqualTo(204);
    }
  }

  private JsonNode token(String name) throws Exception {
    return JsonMapper.shared()
        .readTree(
            operator
                .json(
                    "POST",
                    "/api/v1/tokens",
                    "{\"name\":\"%s\",\"role\":\"publisher\",\"expires\":\"1h\"}".formatted(name))
                .body());
  }

  private static String location(HttpResponse<String> created) {
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    return created.headers().firstValue("Location").orElseThrow();
  }

  private String part(String repository, String path, int length) throws Exception {
    return part(client, repository, path, length);
  }

  private static String part(TusClient client, String repository, String path, int length)
      throws Exception {
    HttpResponse<String> created =
        client.create(
            CONCAT,
            "partial",
            "Upload-Length",
            String.valueOf(length),
            "Upload-Metadata",
            TusClient.metadata(Map.of("repository", repository, "path", path)));
    return location(created);
  }

  private HttpResponse<String> whole(String repository, String path, List<String> parts)
      throws Exception {
    return whole(client, repository, path, parts);
  }

  private static HttpResponse<String> whole(
      TusClient client, String repository, String path, List<String> parts) throws Exception {
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

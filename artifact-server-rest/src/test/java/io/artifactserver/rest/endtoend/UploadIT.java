package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploads: names, fields and refusals. */
@ExtendWith(SharedServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UploadIT {
  private static final byte[] BYTES = Bytes.random(1_000, 31);

  private PackagedServer server;
  private Operator operator;

  @BeforeAll
  void connect(PackagedServer shared) throws Exception {
    server = shared;
    operator = new Operator(server);
    operator.createRepository("uploads", true);
  }

  @AfterAll
  void disconnect() {
    operator.close();
  }

  @ParameterizedTest
  @CsvSource({
    "plain.bin, plain.bin",
    "a%20b, a b",
    "p%25q, p%q",
    "s;v=1, s;v=1",
    "%C3%A4/%F0%9F%93%A6, ä/📦",
    "q%3Fx%23y, q?x#y",
    "a+b, a+b",
    "deep/er/and/deeper/fw.raucb, deep/er/and/deeper/fw.raucb",
    ".hidden/..., .hidden/...",
  })
  void namesAreTheSameInEveryPlace(String encoded, String name) throws Exception {
    HttpResponse<String> put = operator.put("uploads", encoded, BYTES);
    assertThat(put.statusCode()).isEqualTo(201);
    assertThat(put.body()).contains("\"path\":\"" + name + '"');
    assertThat(operator.downloadAsNobody("/artifacts/uploads/" + encoded).body()).isEqualTo(BYTES);
    String location = put.headers().firstValue("Location").orElseThrow();
    assertThat(operator.get(location).body()).isEqualTo(put.body());
    assertThat(operator.get("/api/v1/repositories/uploads/artifacts?limit=1000").body())
        .contains("\"path\":\"" + name + '"');
    assertThat(operator.delete(location).statusCode()).isEqualTo(204);
    assertThat(operator.downloadAsNobody("/artifacts/uploads/" + encoded).statusCode())
        .isEqualTo(410);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a/",
        "a//b",
        "/a",
        "%2e%2e/a",
        "../a",
        "a/./b",
        "%00",
        "a%0Ab",
        "a%5Cb",
        "%FF",
        "a%2Fb",
        "a%7Fb",
        "%C2%85",
      })
  void namesThatBreakARuleAreRefusedBeforeTheBody(String name) throws Exception {
    try (Wire wire = new Wire(server.port())) {
      expectContinue(wire, "/api/v1/repositories/uploads/artifacts/" + name, "Content-Length: 9");
      // The final answer, and no 100 (Continue) before it.
      assertThat(wire.receive(true).status()).isIn(400, 405);
    }
  }

  @Test
  void nameOf1024BytesIsTheLongest() throws Exception {
    assertThat(operator.put("uploads", "x".repeat(1024), BYTES).statusCode()).isEqualTo(201);
    HttpResponse<String> refused = operator.put("uploads", "x".repeat(1025), BYTES);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("at most 1024 bytes");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "uploads | Content-Range: bytes 0-8/100 | 400 | whole",
        "uploads | Content-Encoding: gzip | 415 | Content-Encoding",
        "uploads | Repr-Digest: sha-256=abc | 400 | Malformed",
        "uploads | Repr-Digest: sha-256=:YWJj: | 400 | Malformed",
        "uploads | Content-Type: */* | 400 | Content-Type",
        "uploads | Content-Type: nonsense | 400 | Content-Type",
        "absent | X-Nothing: 1 | 404 | absent",
        "-bad- | X-Nothing: 1 | 400 | begins with",
      })
  void refusalThatIsKnownBeforeTheBodyComesBeforeIt(
      String repository, String field, int status, String detail) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      expectContinue(
          wire,
          "/api/v1/repositories/" + repository + "/artifacts/refused.bin",
          "Content-Length: 9\r\n" + field);
      Response response = wire.receive(true);
      assertThat(response.status()).isEqualTo(status);
      assertThat(response.field("Content-Type")).contains("application/problem+json");
      assertThat(response.text()).contains(detail);
    }
  }

  @Test
  void uploadWithoutATokenIsRefusedBeforeTheBody() throws IOException {
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "PUT /api/v1/repositories/uploads/artifacts/a HTTP/1.1\r\nHost: a\r\n"
              + "Content-Length: 9\r\nExpect: 100-continue\r\n\r\n");
      Response response = wire.receive(true);
      assertThat(response.status()).isEqualTo(401);
      assertThat(response.field("WWW-Authenticate")).isPresent();
      assertThat(response.field("Content-Type")).contains("application/problem+json");
    }
  }

  @Test
  void expectedBodyIsAskedForAndTakenIn() throws IOException {
    try (Wire wire = new Wire(server.port())) {
      expectContinue(wire, "/api/v1/repositories/uploads/artifacts/continued", "Content-Length: 9");
      assertThat(wire.receive(false).status()).isEqualTo(100);
      wire.send("nine byte");
      assertThat(wire.receive(true).status()).isEqualTo(201);
    }
  }

  /** A token, which is that of no other test, has half of 16. */
  @Test
  void uploadsBeyondTheBoundAreAskedToComeBack() throws Exception {
    String token = operator.token("publisher", "uploads", "");
    List<Wire> waiting = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        takePlace(token, "slow" + i, waiting);
      }
      HttpResponse<String> refused = putOneMore(token);
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      waiting.getFirst().send("nine byte");
      assertThat(waiting.getFirst().receive(true).status()).isEqualTo(201);
      // Its place is given back just after the answer.
      eventually("there is a place", () -> putOneMore(token).statusCode() == 201);
    } finally {
      for (Wire wire : waiting) {
        wire.close();
      }
    }
  }

  /** Refused as long as the server has not noticed that the uploads of another test ended. */
  private void takePlace(String token, String name, List<Wire> waiting) {
    eventually(
        "it has a place",
        () -> {
          Wire wire = new Wire(server.port());
          expectContinue(
              wire, "/api/v1/repositories/uploads/artifacts/" + name, "Content-Length: 9", token);
          if (wire.receive(false).status() == 100) {
            waiting.add(wire);
            return true;
          }
          wire.close();
          return false;
        });
  }

  private HttpResponse<String> putOneMore(String token) throws Exception {
    return operator.as(token, "PUT", "/api/v1/repositories/uploads/artifacts/one-more", "one more");
  }

  @Test
  void formEncodedBodyIsBytesAsCurlSendsThem() throws Exception {
    byte[] bytes = "a=1&b=2%20".getBytes(StandardCharsets.US_ASCII);
    HttpResponse<String> put =
        operator.put("uploads", "form", bytes, "Content-Type", "application/x-www-form-urlencoded");
    assertThat(put.statusCode()).isEqualTo(201);
    assertThat(put.body()).contains("\"mediaType\":\"application/octet-stream\"");
    assertThat(operator.downloadAsNobody("/artifacts/uploads/form").body()).isEqualTo(bytes);
  }

  @Test
  void ifNoneMatchStarNeverReplaces() throws Exception {
    assertThat(operator.put("uploads", "once", BYTES, "If-None-Match", "*").statusCode())
        .isEqualTo(201);
    assertThat(operator.put("uploads", "once", BYTES, "If-None-Match", "*").statusCode())
        .isEqualTo(412);
    assertThat(operator.put("uploads", "once", BYTES).statusCode()).isEqualTo(200);
  }

  @Test
  void contentDigestIsCheckedToo() throws Exception {
    String wrong = "sha-256=:" + "A".repeat(43) + "=:";
    assertThat(operator.put("uploads", "wrong", BYTES, "Content-Digest", wrong).statusCode())
        .isEqualTo(400);
    assertThat(operator.get("/api/v1/repositories/uploads/artifacts/wrong").statusCode())
        .isEqualTo(404);
  }

  @Test
  void listIsPagedInTheOrderOfPaths() throws Exception {
    operator.createRepository("paged", false);
    for (String name : new String[] {"b/2", "a", "c", "b/1", "b/10"}) {
      operator.put("paged", name, BYTES);
    }
    String list = "/api/v1/repositories/paged/artifacts";
    HttpResponse<String> first = operator.get(list + "?prefix=b/&limit=2");
    assertThat(first.body()).contains("\"path\":\"b/1\"", "\"path\":\"b/10\"", "\"next\":\"");
    String link = first.headers().firstValue("Link").orElseThrow();
    HttpResponse<String> second = operator.get(link.substring(1, link.indexOf('>')));
    assertThat(second.body())
        .contains("\"path\":\"b/2\"")
        .doesNotContain("\"next\"", "\"path\":\"c\"");
    assertThat(operator.get(list + "?limit=0").statusCode()).isEqualTo(400);
    assertThat(operator.get(list + "?limit=many").statusCode()).isEqualTo(400);
    assertThat(operator.get("/api/v1/repositories/absent/artifacts").statusCode()).isEqualTo(404);
  }

  /** Longer than what the sockets between them hold: somebody has to read it. */
  @Test
  void refusalReachesAClientThatSendsAllOfItsBodyFirst() throws Exception {
    byte[] body = Bytes.random(14_000_000, 14);
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "PUT /api/v1/repositories/absent/artifacts/large HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
              .formatted(server.operatorToken(), body.length));
      wire.sendBytes(body, 0, body.length);
      assertThat(wire.receive(true).status()).isEqualTo(404);
    }
  }

  /** Or strangers could hold the server's threads with bodies that never come. */
  @Test
  void strangerIsRefusedBeforeHisBodyComes() throws Exception {
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "PUT /api/v1/repositories/uploads/artifacts/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer none\r\nContent-Length: 1000000\r\n\r\n");
      assertThat(wire.receive(true).status()).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "{\"name\": \"uploads\"} | 409 | uploads",
        "{\"name\": \"\"} | 400 | name",
        "{\"name\": \"a/b\"} | 400 | does not fit",
        "{\"name\": \"../x\"} | 400 | does not fit",
        "{} | 400 | name",
        "{\"name\": | 400 | not JSON",
        "{\"name\": \"enc\", \"encrypted\": \"maybe\"} | 400 | encrypted\\\" must be true or false",
        "{\"name\": \"typo\", \"publik\": true} | 400 | no field \\\"publik\\\"",
      })
  void repositoriesThatCannotBeAreRefused(String json, int status, String told) throws Exception {
    HttpResponse<String> answer = operator.json("POST", "/api/v1/repositories", json);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(answer.body()).contains("\"detail\":", told).doesNotContain("\tat ");
  }

  @Test
  void apiDocumentNamesThePathsParameters() throws Exception {
    assertThat(operator.downloadAsNobody("/v3/api-docs").statusCode()).isEqualTo(401);
    HttpResponse<String> document = operator.get("/v3/api-docs");
    assertThat(document.statusCode()).isEqualTo(200);
    String text = document.body();
    String artifacts = "/api/v1/repositories/{repository}/artifacts/{path}";
    assertThat(text).contains('"' + artifacts + '"');
    String operations = text.substring(text.indexOf('"' + artifacts + '"'));
    for (String method : new String[] {"get", "put", "delete"}) {
      assertThat(operations.substring(operations.indexOf('"' + method + "\":{")))
          .contains("\"name\":\"repository\",\"in\":\"path\"", "\"name\":\"path\",\"in\":\"path\"");
    }
  }

  /** The page asks for the token by itself: a browser could not. */
  @Test
  void apiPageIsForEverybody() throws Exception {
    for (String path :
        new String[] {"/", "/swagger-ui.html", "/swagger-ui/", "/swagger-ui/index.html"}) {
      HttpResponse<byte[]> page = operator.downloadAsNobody(path);
      if (page.statusCode() != 200) {
        assertThat(page.statusCode()).as(path).isEqualTo(302);
        assertThat(page.headers().firstValue("Location").orElseThrow())
            .endsWith("/swagger-ui/index.html");
      }
    }
    String page =
        new String(
            operator.downloadAsNobody("/swagger-ui/index.html").body(), StandardCharsets.UTF_8);
    for (String file :
        page.replaceAll("(?s).*?(?:href|src)=\"([^\"]+)\"", "$1\n")
            .lines()
            .filter(line -> line.matches("[\\w.-]+"))
            .toList()) {
      HttpResponse<byte[]> part = operator.downloadAsNobody("/swagger-ui/" + file);
      assertThat(part.statusCode()).as(file).isEqualTo(200);
      assertThat(part.body()).as(file).isNotEmpty();
    }
    assertThat(operator.downloadAsNobody("/swagger-ui/../index.html").statusCode())
        .isNotEqualTo(200);
    assertThat(operator.downloadAsNobody("/swagger-ui/oauth2-redirect.html").statusCode())
        .isEqualTo(401);
  }

  private void expectContinue(Wire wire, String path, String fields) throws IOException {
    expectContinue(wire, path, fields, server.operatorToken());
  }

  private static void expectContinue(Wire wire, String path, String fields, String token)
      throws IOException {
    wire.send(
        "PUT %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\n%s\r\n\r\n"
            .formatted(path, token, fields));
  }
}

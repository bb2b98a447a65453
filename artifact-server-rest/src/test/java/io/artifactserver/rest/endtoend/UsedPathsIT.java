package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** A path never gets other bytes, and caches are told no more than that. */
@EnumSource
class UsedPathsIT extends EachTransport {
  private static final byte[] FIRST = Bytes.random(100_000, 141);
  private static final byte[] SECOND = Bytes.random(100_000, 142);
  private static final String API = "/api/v1/repositories/";

  private Operator operator;
  private String path;

  @BeforeParameterizedClassInvocation
  void connect() throws Exception {
    operator = server.operator();
    path = "used/" + transport;
  }

  @AfterParameterizedClassInvocation
  void disconnect() {
    operator.close();
  }

  @Test
  void aDeletedArtifactIsGoneAndItsPathTakesTheSameBytesOnly() throws Exception {
    String address = "/artifacts/public/" + path;
    String description = API + "public/artifacts/" + path;
    assertThat(operator.put("public", path, FIRST).statusCode()).isEqualTo(201);
    try (Wire wire = open()) {
      String tag = "\"" + sha256(FIRST).hex() + '"';
      // Often enough for the connection to know the request.
      for (int i = 0; i < 50; i++) {
        Response part = resume(wire, "GET", address, tag);
        assertThat(part.status()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(Arrays.copyOfRange(FIRST, 5_000, 6_000));
      }
      assertThat(operator.delete(description).statusCode()).isEqualTo(204);
      for (int i = 0; i < 2; i++) {
        Response gone = resume(wire, "GET", address, tag);
        assertThat(gone.status()).isEqualTo(410);
        assertThat(gone.field("content-type")).contains("application/problem+json");
        assertThat(gone.field("cache-control")).contains("no-store");
        assertThat(new String(gone.body(), StandardCharsets.UTF_8)).contains(sha256(FIRST).hex());
        assertThat(resume(wire, "HEAD", address, tag).status()).isEqualTo(410);
      }
      assertThat(operator.downloadAsNobody(address + ".sha256").statusCode()).isEqualTo(404);
      assertThat(operator.get(description).statusCode()).isEqualTo(410);
      assertThat(operator.get(description).body()).contains(sha256(FIRST).hex());
      assertThat(operator.delete(description).statusCode()).isEqualTo(410);

      requireRefused(operator.put("public", path, SECOND));
      requireRefused(
          operator.put(
              "public", path, SECOND, "Repr-Digest", "sha-256=:" + sha256(SECOND).base64() + ':'));
      // Bytes that the server has already are shared, and no way around.
      requireRefused(operator.put("public", path, SharedServer.TABLE));
      assertThat(resume(wire, "GET", address, tag).status()).isEqualTo(410);

      assertThat(operator.put("public", path, FIRST, "If-None-Match", "*").statusCode())
          .isEqualTo(201);
      assertThat(operator.put("public", path, FIRST).statusCode()).isEqualTo(200);
      assertThat(resume(wire, "GET", address, tag).status()).isEqualTo(206);
      assertThat(operator.downloadAsNobody(address).body()).isEqualTo(FIRST);
      assertThat(operator.get(description).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void onlyReadersOfAPathAreToldThatItIsGone() throws Exception {
    String name = path + "-secret";
    String address = "/artifacts/secret/" + name;
    assertThat(operator.put("secret", name, FIRST).statusCode()).isEqualTo(201);
    String reader = device(name);
    String other = device(path + "-elsewhere");
    String link =
        text(
            operator.json(
                "POST",
                "/api/v1/links",
                "{\"repository\": \"secret\", \"path\": \"%s\", \"expires\": \"1h\"}"
                    .formatted(name)),
            "url");
    assertThat(operator.downloadAsNobody(link).statusCode()).isEqualTo(200);
    assertThat(operator.delete(API + "secret/artifacts/" + name).statusCode()).isEqualTo(204);
    for (int i = 0; i < 2; i++) {
      assertThat(operator.downloadAsDevice(address, reader).statusCode()).isEqualTo(410);
      assertThat(operator.downloadAsNobody(link).statusCode()).isEqualTo(410);
      assertThat(operator.downloadAsNobody(address).statusCode()).isEqualTo(401);
      HttpResponse<byte[]> told = operator.downloadAsDevice(address, other);
      HttpResponse<byte[]> absent = operator.downloadAsDevice(address + "-absent", other);
      assertThat(told.statusCode()).isEqualTo(404);
      assertThat(new String(told.body(), StandardCharsets.UTF_8))
          .isEqualTo(new String(absent.body(), StandardCharsets.UTF_8).replace("-absent", ""));
    }
  }

  @Test
  void aMutableRepositoryTakesOtherBytesAndIsAskedEachTime() throws Exception {
    String repository = "mutable-" + transport;
    String address = "/artifacts/" + repository + "/latest.img";
    String description = API + repository + "/artifacts/latest.img";
    HttpResponse<String> created =
        operator.json(
            "POST",
            "/api/v1/repositories",
            "{\"name\": \"%s\", \"public\": true, \"mutable\": true, \"maxAge\": 60}"
                .formatted(repository));
    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(created.body()).contains("\"mutable\":true", "\"maxAge\":60");
    assertThat(operator.put(repository, "latest.img", FIRST).statusCode()).isEqualTo(201);
    HttpResponse<byte[]> first = operator.downloadAsNobody(address);
    assertThat(first.headers().firstValue("Cache-Control")).contains("public, no-cache");
    assertThat(operator.put(repository, "latest.img", SECOND).statusCode()).isEqualTo(409);
    assertThat(operator.delete(description).statusCode()).isEqualTo(204);
    assertThat(operator.downloadAsNobody(address).statusCode()).isEqualTo(410);
    assertThat(operator.put(repository, "latest.img", SECOND).statusCode()).isEqualTo(201);
    HttpResponse<byte[]> second =
        operator.download(
            address, "If-None-Match", first.headers().firstValue("ETag").orElseThrow());
    assertThat(second.statusCode()).isEqualTo(200);
    assertThat(second.body()).isEqualTo(SECOND);

    // From now on the path is bound to what it has.
    HttpResponse<String> changed = operator.json("PATCH", API + repository, "{\"mutable\": false}");
    assertThat(changed.body()).contains("\"mutable\":false", "\"maxAge\":60");
    assertThat(operator.downloadAsNobody(address).headers().firstValue("Cache-Control"))
        .contains("public, max-age=60, no-transform");
    assertThat(operator.delete(description).statusCode()).isEqualTo(204);
    HttpResponse<String> refused = operator.put(repository, "latest.img", FIRST);
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains(sha256(SECOND).hex());
    assertThat(operator.put(repository, "latest.img", SECOND).statusCode()).isEqualTo(201);
  }

  @Test
  void namesAreCachedForMinutesAndDigestsForEver() throws Exception {
    String repository = "aged-" + transport;
    operator.createRepository(repository, true);
    operator.put(repository, "fw", FIRST);
    String address = "/artifacts/" + repository + "/fw";
    String blob = "/blobs/sha256/" + sha256(FIRST).hex();
    for (String name : new String[] {address, address + ".sha256"}) {
      assertThat(cacheControl(name)).isEqualTo("public, max-age=300, no-transform");
    }
    assertThat(cacheControl(blob)).isEqualTo("public, max-age=31536000, immutable");
    try (Wire wire = open()) {
      String tag = "\"" + sha256(FIRST).hex() + '"';
      for (String method : new String[] {"GET", "HEAD"}) {
        assertThat(resume(wire, method, address, tag).field("cache-control"))
            .contains("public, max-age=300, no-transform");
      }
      assertThat(operator.json("PATCH", API + repository, "{\"maxAge\": 10}").statusCode())
          .isEqualTo(200);
      assertThat(resume(wire, "GET", address, tag).field("cache-control"))
          .contains("public, max-age=10, no-transform");
    }
    HttpResponse<byte[]> unchanged =
        operator.download(address, "If-None-Match", "\"" + sha256(FIRST).hex() + '"');
    assertThat(unchanged.statusCode()).isEqualTo(304);
    assertThat(unchanged.headers().firstValue("Cache-Control"))
        .contains("public, max-age=10, no-transform");
    assertThat(cacheControl(blob)).isEqualTo("public, max-age=31536000, immutable");
    assertThat(cacheControl("/artifacts/secret/table.bin")).isEqualTo("private, no-cache");
    // A name, for SHA-1 can be forged.
    String sha1 = sha(DigestAlgorithm.SHA_1, SharedServer.TABLE).hex();
    assertThat(cacheControl("/DEFAULT/sha1/" + sha1 + "/table.bin"))
        .isEqualTo("public, max-age=300, no-transform");
    assertThat(cacheControl("/PROTECTED/sha1/" + sha1 + "/table.bin"))
        .isEqualTo("private, no-cache");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"maxAge\": -1",
        "\"maxAge\": 31536001",
        "\"maxAge\": \"long\"",
        "\"mutable\": \"often\"",
      })
  void whatIsNoPolicyIsRefused(String property) throws Exception {
    String name = property.replaceAll("\"(\\w+)\".*", "$1");
    HttpResponse<String> created =
        operator.json(
            "POST", "/api/v1/repositories", "{\"name\": \"refused\", %s}".formatted(property));
    assertThat(created.statusCode()).isEqualTo(400);
    assertThat(created.body()).contains(name);
    assertThat(operator.get(API + "refused").statusCode()).isEqualTo(404);
    HttpResponse<String> changed =
        operator.json("PATCH", API + "public", "{%s}".formatted(property));
    assertThat(changed.statusCode()).isEqualTo(400);
    assertThat(operator.get(API + "public").body()).contains("\"mutable\":false", "\"maxAge\":300");
  }

  private static void requireRefused(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(answer.body())
        .contains(sha256(FIRST).hex())
        .contains("use another path", "the same bytes", "mutable");
  }

  /** As RAUC does: the next range of what it began with. */
  private static Response resume(Wire wire, String method, String address, String tag)
      throws IOException {
    wire.send(
        "%s %s HTTP/1.1\r\nHost: device\r\nIf-Range: %s\r\nRange: bytes=5000-5999\r\n\r\n"
            .formatted(method, address, tag));
    return wire.receive(method.equals("GET"));
  }

  private String cacheControl(String address) throws Exception {
    HttpResponse<byte[]> answer = operator.download(address);
    assertThat(answer.statusCode()).as(address).isEqualTo(200);
    return answer.headers().firstValue("Cache-Control").orElseThrow();
  }

  private String device(String prefix) throws Exception {
    return "Bearer "
        + text(
            operator.json(
                "POST",
                "/api/v1/tokens",
                """
                {"name": "device", "repositories": ["secret"], "paths": ["%s"]}
                """
                    .formatted(prefix)),
            "token");
  }

  private static String text(HttpResponse<String> answer, String property) {
    assertThat(answer.statusCode()).isEqualTo(201);
    return JsonMapper.shared().readTree(answer.body()).get(property).asString();
  }

  private static Digest sha256(byte[] bytes) {
    return sha(DigestAlgorithm.SHA_256, bytes);
  }

  private static Digest sha(DigestAlgorithm algorithm, byte[] bytes) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(bytes));
  }
}

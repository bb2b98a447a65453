package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static io.artifactserver.core.waiting.Eventually.settled;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may read what, under which addresses, and the fields beside RFC 9110's own. */
@EnumSource
class DeviceAccessIT extends EachTransport {
  private static final String PUBLIC = "/artifacts/public/table.bin";
  private static final String SECRET = "/artifacts/secret/table.bin";
  private static final int WARM_DOWNLOADS = 2_000;

  private Operator operator;
  private String deviceToken;

  /**
   * One for each transport: transports share a server, and it is refused until it is taken over.
   */
  private String legacyToken;

  @BeforeParameterizedClassInvocation
  void connect() throws Exception {
    operator = server.operator();
    legacyToken = "hawkbit-gateway-secret-of-" + transport;
    operator.createRepository("other", false);
    deviceToken = token(operator.json("POST", "/api/v1/tokens", "{\"name\":\"all\"}"));
    assertThat(operator.put("public", "7/app.bin", SharedServer.TABLE).statusCode()).isIn(200, 201);
    assertThat(operator.put("public", "7/my+app%201.bin", SharedServer.TABLE).statusCode())
        .isIn(200, 201);
    assertThat(operator.put("secret", "7/app.bin", SharedServer.TABLE).statusCode()).isIn(200, 201);
    assertThat(operator.put("secret", "own.bin", Bytes.random(500, 21)).statusCode())
        .isIn(200, 201);
  }

  @AfterParameterizedClassInvocation
  void disconnect() {
    operator.close();
  }

  @Test
  void protectedArtifactNeedsAToken() throws Exception {
    HttpResponse<byte[]> denied = operator.downloadAsNobody(SECRET);
    assertThat(denied.statusCode()).isEqualTo(401);
    assertThat(denied.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Bearer ");
    assertThat(operator.downloadAsDevice(SECRET, "Bearer " + deviceToken).body())
        .isEqualTo(SharedServer.TABLE);
    assertThat(operator.downloadAsDevice(SECRET, basic("device", deviceToken)).body())
        .isEqualTo(SharedServer.TABLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer",
        "Bearer x",
        "Bearer"
            + " as_0000000000000000_0000000000000000000000000000000000000000000000000000000000000000",
        "Basic !!!",
        "Basic dXNlcjpwYXNzd29yZA==",
        "GatewayToken short",
        "GatewayToken some-unknown-gateway-token",
        "Digest a=b",
      })
  void badCredentialsAreRefused(String authorization) throws Exception {
    assertThat(operator.downloadAsDevice(SECRET, authorization).statusCode()).isEqualTo(401);
    // What everybody may read, a device with an old token may read too.
    assertThat(operator.downloadAsDevice(PUBLIC, authorization).statusCode()).isEqualTo(200);
  }

  @Test
  void whetherAProtectedArtifactExistsIsNotTold() throws Exception {
    for (String path :
        new String[] {SECRET, "/artifacts/secret/absent", "/artifacts/absent/table.bin"}) {
      assertThat(operator.downloadAsNobody(path).statusCode()).as(path).isEqualTo(401);
    }
    String otherToken =
        token(
            operator.json(
                "POST", "/api/v1/tokens", "{\"name\":\"o\",\"repositories\":[\"other\"]}"));
    String own = "/blobs/sha256/" + digest(DigestAlgorithm.SHA_256, Bytes.random(500, 21)).hex();
    byte[] absent = null;
    for (String path :
        new String[] {"/artifacts/absent/x", SECRET, "/artifacts/secret/absent", own}) {
      HttpResponse<byte[]> answer = operator.downloadAsDevice(path, "Bearer " + otherToken);
      assertThat(answer.statusCode()).as(path).isEqualTo(404);
      String body = new String(answer.body(), StandardCharsets.UTF_8).replace(path, "");
      absent = absent == null ? body.getBytes(StandardCharsets.UTF_8) : absent;
      assertThat(body.getBytes(StandardCharsets.UTF_8)).isEqualTo(absent);
    }
    assertThat(operator.downloadAsNobody("/artifacts/public/absent").statusCode()).isEqualTo(404);
    assertThat(operator.download(own).statusCode()).isEqualTo(200);
  }

  @Test
  void devicesTokenOpensNothingOfTheOperators() throws Exception {
    for (String path :
        new String[] {"/api/v1/repositories", "/actuator/prometheus", "/api/v1/tokens"}) {
      assertThat(operator.downloadAsNobody(path).statusCode()).as(path).isEqualTo(401);
      assertThat(operator.downloadAsDevice(path, "Bearer " + deviceToken).statusCode())
          .as(path)
          .isEqualTo(403);
    }
    assertThat(operator.downloadAsNobody("/actuator/health").statusCode()).isEqualTo(200);
  }

  @Test
  void revokedTokenIsRefusedAtOnce() throws Exception {
    HttpResponse<String> created =
        operator.json("POST", "/api/v1/tokens", "{\"name\":\"short-lived\"}");
    String token = token(created);
    assertThat(operator.downloadAsDevice(SECRET, "Bearer " + token).statusCode()).isEqualTo(200);
    assertThat(operator.get("/api/v1/tokens").body()).contains("short-lived").doesNotContain(token);
    String id = token.split("_")[1];
    assertThat(operator.delete("/api/v1/tokens/" + id).statusCode()).isEqualTo(204);
    assertThat(operator.downloadAsDevice(SECRET, "Bearer " + token).statusCode()).isEqualTo(401);
  }

  @Test
  void everyRequestOfAConnectionIsDecidedAnew() throws Exception {
    String mine = token(operator.json("POST", "/api/v1/tokens", "{\"name\":\"kept\"}"));
    String other =
        token(
            operator.json(
                "POST", "/api/v1/tokens", "{\"name\":\"o\",\"repositories\":[\"other\"]}"));
    String wrong = mine.substring(0, mine.length() - 1) + (mine.endsWith("0") ? '1' : '0');
    String foreign = "as_0000000000000000_" + mine.split("_")[2];
    try (Wire wire = open()) {
      for (int i = 0; i < 3; i++) {
        assertThat(status(wire, SECRET, "Bearer " + mine)).isEqualTo(206);
        assertThat(status(wire, SECRET, "Bearer " + mine)).isEqualTo(206);
        assertThat(status(wire, SECRET, "Bearer " + wrong)).isEqualTo(401);
        assertThat(status(wire, SECRET, "Bearer " + mine)).isEqualTo(206);
        assertThat(status(wire, SECRET, "Bearer " + other)).isEqualTo(404);
        assertThat(status(wire, SECRET, "")).isEqualTo(401);
        assertThat(status(wire, PUBLIC, "")).isEqualTo(206);
        assertThat(status(wire, SECRET, "Bearer " + foreign)).isEqualTo(401);
        assertThat(status(wire, PUBLIC, "Bearer " + mine)).isEqualTo(206);
        assertThat(status(wire, "/artifacts/secret/absent", "Bearer " + mine)).isEqualTo(404);
        assertThat(status(wire, SECRET, "Bearer " + mine)).isEqualTo(206);
      }
      // Often enough for the connection to know the request.
      for (int i = 0; i < 200; i++) {
        assertThat(status(wire, SECRET, "Bearer " + mine)).isEqualTo(206);
      }
      String id = mine.split("_")[1];
      assertThat(operator.delete("/api/v1/tokens/" + id).statusCode()).isEqualTo(204);
      assertThat(status(wire, SECRET, "Bearer " + mine)).isEqualTo(401);
      assertThat(status(wire, SECRET, "Bearer " + mine)).isEqualTo(401);
    }
  }

  @Test
  void theCaseOfASecretCountsOnAConnectionToo() throws Exception {
    try (Wire wire = open()) {
      assertThat(status(wire, SECRET, "Bearer " + deviceToken)).isEqualTo(206);
      assertThat(status(wire, SECRET, "Bearer " + deviceToken.toUpperCase(Locale.ROOT)))
          .isEqualTo(401);
    }
  }

  private static int status(Wire wire, String path, String authorization) throws IOException {
    String field = authorization.isEmpty() ? "" : "Authorization: " + authorization + "\r\n";
    wire.send(
        "GET %s HTTP/1.1\r\nHost: device\r\nRange: bytes=0-9\r\n%s\r\n".formatted(path, field));
    return wire.receive(true).status();
  }

  @Test
  void cacheControlFollowsTheRepositorysPolicy() throws Exception {
    assertThat(operator.download(PUBLIC).headers().firstValue("Cache-Control"))
        .contains("public, max-age=300, no-transform");
    assertThat(operator.download(SECRET).headers().firstValue("Cache-Control"))
        .contains("private, no-cache");
    String own = "/blobs/sha256/" + digest(DigestAlgorithm.SHA_256, Bytes.random(500, 21)).hex();
    assertThat(operator.download(own).headers().firstValue("Cache-Control"))
        .contains("private, max-age=31536000, immutable");
  }

  /** RFC 9530. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "- | sha-256 sha-512",
        "sha-512=10 | sha-512",
        "sha-256=3, sha-512=10 | sha-512 sha-256",
        "sha-512=0, sha-256=1 | sha-256",
        "md5=5 | md5",
        "unixsum=10 | sha-256 sha-512",
        "garbage | sha-256 sha-512",
      })
  void reprDigestIsOfTheWholeRepresentation(String wanted, String algorithms) throws Exception {
    HttpResponse<byte[]> part =
        wanted == null
            ? operator.download(PUBLIC)
            : operator.download(PUBLIC, "Range", "bytes=0-3", "Want-Repr-Digest", wanted);
    StringBuilder expected = new StringBuilder();
    for (String key : algorithms.split(" ")) {
      DigestAlgorithm algorithm = DigestAlgorithm.ofFieldKey(key).orElseThrow();
      expected
          .append(expected.isEmpty() ? "" : ", ")
          .append(key + "=:" + digest(algorithm, SharedServer.TABLE).base64() + ":");
    }
    assertThat(part.headers().firstValue("Repr-Digest")).contains(expected.toString());
  }

  /** RFC 3230, as aria2c asks. */
  @Test
  void digestIsSentToWhoWantsIt() throws Exception {
    assertThat(operator.download(PUBLIC).headers().firstValue("Digest")).isEmpty();
    HttpResponse<byte[]> answer =
        operator.download(
            PUBLIC, "Want-Digest", "SHA-512;q=1, SHA-256;q=0.9, SHA;q=0.1, MD5;q=0, X;q=1");
    assertThat(answer.headers().firstValue("Digest"))
        .contains(
            "SHA-512=%s,SHA-256=%s,SHA=%s"
                .formatted(
                    digest(DigestAlgorithm.SHA_512, SharedServer.TABLE).base64(),
                    digest(DigestAlgorithm.SHA_256, SharedServer.TABLE).base64(),
                    digest(DigestAlgorithm.SHA_1, SharedServer.TABLE).base64()));
  }

  @ParameterizedTest
  @EnumSource(DigestAlgorithm.class)
  void checksumsAreServedAsTheirToolsReadThem(DigestAlgorithm algorithm) throws Exception {
    HttpResponse<byte[]> line = operator.downloadAsNobody(PUBLIC + "." + algorithm.id());
    assertThat(line.statusCode()).isEqualTo(200);
    assertThat(line.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
    assertThat(new String(line.body(), StandardCharsets.UTF_8))
        .isEqualTo(digest(algorithm, SharedServer.TABLE).hex() + "  table.bin\n");
    assertThat(operator.downloadAsNobody(SECRET + "." + algorithm.id()).statusCode())
        .isEqualTo(401);
    assertThat(operator.downloadAsNobody("/artifacts/public/absent." + algorithm.id()).statusCode())
        .isEqualTo(404);
    assertThat(operator.download(PUBLIC + "." + algorithm.id(), "Range", "bytes=1-2").body())
        .isEqualTo(new byte[] {line.body()[1], line.body()[2]});
  }

  @Test
  void artifactOfThatNameWinsOverAChecksum() throws Exception {
    byte[] signed = "a signed checksum\n".getBytes(StandardCharsets.UTF_8);
    operator.put("public", "signed.bin", Bytes.random(100, 22));
    operator.put("public", "signed.bin.sha256", signed);
    assertThat(operator.downloadAsNobody("/artifacts/public/signed.bin.sha256").body())
        .isEqualTo(signed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "FROBNICATE"})
  void otherMethodsAreRefusedWithThoseAllowed(String method) throws Exception {
    for (String path : new String[] {PUBLIC, SECRET, "/artifacts/public/absent"}) {
      HttpResponse<String> answer = operator.json(method, path, "");
      assertThat(answer.statusCode()).isEqualTo(405);
      assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD, OPTIONS");
    }
  }

  @Test
  void optionsSaysWhatIsAllowed() throws Exception {
    HttpResponse<String> device = operator.json("OPTIONS", PUBLIC, "");
    assertThat(device.statusCode()).isEqualTo(204);
    assertThat(device.headers().firstValue("Allow")).contains("GET, HEAD, OPTIONS");
    HttpResponse<String> api =
        operator.json("OPTIONS", "/api/v1/repositories/public/artifacts/table.bin", "");
    assertThat(api.statusCode()).isEqualTo(200);
    assertThat(api.headers().firstValue("Allow").orElse("")).contains("GET", "PUT", "DELETE");
    HttpResponse<String> refused = operator.json("PATCH", "/api/v1/repositories", "{}");
    assertThat(refused.statusCode()).isEqualTo(405);
    assertThat(refused.headers().firstValue("Allow").orElse("")).contains("GET", "POST");
    assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
  }

  @Test
  void methodsOfTheServerItself() throws IOException {
    try (Wire wire = open()) {
      wire.send("OPTIONS * HTTP/1.1\r\nHost: device\r\n\r\n");
      Response answer = wire.receive(true);
      assertThat(answer.status()).isEqualTo(204);
      assertThat(answer.field("Allow")).contains("GET, HEAD, OPTIONS");
    }
    // RFC 9112, section 3.2.3: the Host of a CONNECT is its target; another one is refused with
    // 400.
    for (String[] targetAndHost :
        new String[][] {
          {"TRACE /api/v1/repositories", "device"}, {"CONNECT device:80", "device:80"}
        }) {
      try (Wire wire = open()) {
        wire.send(
            "%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n"
                .formatted(targetAndHost[0], targetAndHost[1], server.operatorToken()));
        Response answer = wire.receive(true);
        assertThat(answer.status()).as(targetAndHost[0]).isEqualTo(501);
        assertThat(answer.text()).doesNotContain("Bearer");
      }
    }
  }

  @Test
  void methodsThatNobodyKnowsAreNamedWithThoseAllowed() throws Exception {
    HttpResponse<String> answer = operator.json("FROBNICATE", "/api/v1/repositories", "{}");
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow").orElse("")).contains("GET", "POST");
  }

  @Test
  void hawkbitsAddressesLeadToTheTenantsRepository() throws Exception {
    String module = "/DEFAULT/controller/v1/device-1/softwaremodules/7/artifacts/app.bin";
    assertThat(operator.downloadAsNobody(module).body()).isEqualTo(SharedServer.TABLE);
    assertThat(operator.downloadAsNobody(module.replace("DEFAULT", "default")).statusCode())
        .isEqualTo(200);
    assertThat(operator.downloadAsNobody(module.replace("/7/", "/8/")).statusCode()).isEqualTo(404);
    // As hawkBit encodes "my+app 1.bin".
    assertThat(operator.downloadAsNobody(module.replace("app.bin", "my%2Bapp+1.bin")).statusCode())
        .isEqualTo(200);
    HttpResponse<byte[]> md5 = operator.downloadAsNobody(module + ".MD5SUM");
    assertThat(new String(md5.body(), StandardCharsets.UTF_8))
        .isEqualTo(digest(DigestAlgorithm.MD5, SharedServer.TABLE).hex() + "  app.bin\n");
    String sha1 = digest(DigestAlgorithm.SHA_1, SharedServer.TABLE).hex();
    HttpResponse<byte[]> byDigest =
        operator.downloadAsNobody("/DEFAULT/sha1/" + sha1 + "/firmware.img");
    assertThat(byDigest.body()).isEqualTo(SharedServer.TABLE);
    assertThat(byDigest.headers().firstValue("Content-Disposition"))
        .contains("attachment; filename=\"firmware.img\"");
    HttpResponse<byte[]> md5ByDigest =
        operator.downloadAsNobody("/DEFAULT/sha1/" + sha1 + "/firmware.img.MD5SUM");
    assertThat(new String(md5ByDigest.body(), StandardCharsets.UTF_8))
        .isEqualTo(digest(DigestAlgorithm.MD5, SharedServer.TABLE).hex() + "  firmware.img\n");
    String unknown = "0".repeat(40);
    assertThat(operator.downloadAsNobody("/DEFAULT/sha1/" + unknown + "/f").statusCode())
        .isEqualTo(404);
    assertThat(operator.downloadAsNobody("/DEFAULT/sha1/xyz/f").statusCode()).isEqualTo(400);
    String ownSha1 = digest(DigestAlgorithm.SHA_1, Bytes.random(500, 21)).hex();
    assertThat(operator.downloadAsNobody("/DEFAULT/sha1/" + ownSha1 + "/f").statusCode())
        .isEqualTo(404);
    assertThat(operator.downloadAsNobody("/UNKNOWN/sha1/" + sha1 + "/f").statusCode())
        .isEqualTo(401);
  }

  @Test
  void hawkbitsDeviceTokensAreTakenOver() throws Exception {
    String module = "/PROTECTED/controller/v1/device-1/softwaremodules/7/artifacts/app.bin";
    assertThat(operator.downloadAsNobody(module).statusCode()).isEqualTo(401);
    assertThat(operator.downloadAsDevice(module, "GatewayToken " + deviceToken).body())
        .isEqualTo(SharedServer.TABLE);
    assertThat(operator.downloadAsDevice(module, "TargetToken " + legacyToken).statusCode())
        .isEqualTo(401);
    String body =
        "{\"name\":\"gateway\",\"secret\":\"%s\",\"repositories\":[\"secret\"]}"
            .formatted(legacyToken);
    HttpResponse<String> created = operator.json("POST", "/api/v1/tokens", body);
    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(created.body()).doesNotContain(legacyToken);
    assertThat(operator.json("POST", "/api/v1/tokens", body).statusCode()).isEqualTo(409);
    for (String scheme : new String[] {"GatewayToken ", "TargetToken "}) {
      assertThat(operator.downloadAsDevice(module, scheme + legacyToken).statusCode())
          .isEqualTo(200);
    }
    assertThat(operator.downloadAsDevice(module, "Bearer " + legacyToken).statusCode())
        .isEqualTo(401);
  }

  @Test
  void headOpensNothingAndEqualsGet() throws Exception {
    double transfers = transfers();
    try (Wire wire = open()) {
      for (String path : new String[] {PUBLIC, PUBLIC + ".sha256", "/artifacts/public/absent"}) {
        wire.send("HEAD " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        Response head = wire.receive(false);
        assertThat(transfers()).isEqualTo(transfers);
        wire.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        Response get = wire.receive(true);
        // An error is no transfer.
        double counted = transfers + (get.status() == 200 ? 1 : 0);
        eventuallyPasses(path, () -> assertThat(transfers()).isEqualTo(counted));
        transfers = counted;
        assertThat(head.status()).isEqualTo(get.status());
        head.fields().remove("date");
        get.fields().remove("date");
        assertThat(head.fields()).isEqualTo(get.fields());
      }
    }
  }

  /** What the server does by the clock uses a connection or two every few seconds. */
  @Test
  void warmDownloadsUseNoDatabaseConnection() throws Exception {
    operator.download(SECRET, "Range", "bytes=0-0");
    double before = metric("hikaricp_connections_usage_seconds_count");
    for (int i = 0; i < WARM_DOWNLOADS; i++) {
      assertThat(operator.download(SECRET, "Range", "bytes=0-0").statusCode()).isEqualTo(206);
    }
    assertThat(metric("hikaricp_connections_usage_seconds_count") - before)
        .as("connections used by %d downloads", WARM_DOWNLOADS)
        .isLessThan(WARM_DOWNLOADS / 20.0);
  }

  /** The count once it stands still: a transfer is counted just after its last byte arrived. */
  private double transfers() throws Exception {
    return settled(
        "the transfers",
        Duration.ofMillis(250),
        () -> metric("artifact_server_transfer_seconds_count"));
  }

  private double metric(String name) throws Exception {
    return operator
        .get("/actuator/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private static Digest digest(DigestAlgorithm algorithm, byte[] bytes) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(bytes));
  }

  private static String token(HttpResponse<String> created) throws IOException {
    Matcher token =
        Pattern.compile("\"token\":\"(as_[0-9a-f]+_[0-9a-f]+)\"").matcher(created.body());
    if (!token.find()) {
      throw new IOException("No token in " + created.statusCode() + ' ' + created.body());
    }
    return token.group(1);
  }

  private static String basic(String user, String password) {
    return "Basic "
        + Base64.getEncoder()
            .encodeToString((user + ':' + password).getBytes(StandardCharsets.UTF_8));
  }
}

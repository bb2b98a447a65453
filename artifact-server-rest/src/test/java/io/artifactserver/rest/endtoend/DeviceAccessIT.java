package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The right to read, and the addresses under which artifacts are read. */
@EnumSource
class DeviceAccessIT extends DeviceFixture {
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
    // Public artifacts are for a device with an old token, too.
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
    // One for each transport: they share a server, and it is refused until it is taken over.
    String legacyToken = "hawkbit-gateway-secret-of-" + transport;
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

  private static String basic(String user, String password) {
    return "Basic "
        + Base64.getEncoder()
            .encodeToString((user + ':' + password).getBytes(StandardCharsets.UTF_8));
  }
}

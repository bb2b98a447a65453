package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static io.artifactserver.core.waiting.Eventually.settled;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields of answers beside RFC 9110's own, and methods other than GET. */
@Transports(
    value = {Transport.HTTP1, Transport.H2},
    nightly = {Transport.H2C, Transport.TLS12, Transport.TLS13})
class DeviceAnswersIT extends DeviceFixture {
  private static final int WARM_DOWNLOADS = 2_000;

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
    assertThat(api.statusCode()).isEqualTo(204);
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

  /** Repeated if the download of another test is counted meanwhile: they share the server. */
  @Test
  void headOpensNothingAndEqualsGet() {
    eventuallyPasses("a HEAD is no transfer, and equals a GET", this::requireHeadsLikeGets);
  }

  private void requireHeadsLikeGets() throws Exception {
    double transfers = transfers();
    try (Wire wire = open()) {
      for (String path : new String[] {PUBLIC, PUBLIC + ".sha256", "/artifacts/public/absent"}) {
        wire.send("HEAD " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        Response head = wire.receive(false);
        assertThat(transfers()).isEqualTo(transfers);
        wire.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        Response get = wire.receive(true);
        // An error is no transfer.
        transfers += get.status() == 200 ? 1 : 0;
        double counted = transfers;
        eventually(path, () -> count() >= counted);
        assertThat(transfers()).isEqualTo(counted);
        assertThat(head.status()).isEqualTo(get.status());
        head.fields().remove("date");
        get.fields().remove("date");
        assertThat(head.fields()).isEqualTo(get.fields());
      }
    }
  }

  /**
   * The server's own jobs use a connection or two every few seconds; more while they write what
   * other tests left to be written, and then this is repeated.
   */
  @Test
  void warmDownloadsUseNoDatabaseConnection() throws Exception {
    operator.download(SECRET, "Range", "bytes=0-0");
    eventuallyPasses(
        "warm downloads use no connection",
        () -> {
          double before = operator.metric("hikaricp_connections_usage_seconds_count");
          for (int i = 0; i < WARM_DOWNLOADS; i++) {
            assertThat(operator.download(SECRET, "Range", "bytes=0-0").statusCode()).isEqualTo(206);
          }
          assertThat(operator.metric("hikaricp_connections_usage_seconds_count") - before)
              .as("connections used by %d downloads", WARM_DOWNLOADS)
              .isLessThan(WARM_DOWNLOADS / 20.0);
        });
  }

  /** The count once it stands still: a transfer is counted just after its last byte arrived. */
  private double transfers() throws Exception {
    return settled("the transfers", Duration.ofMillis(250), this::count);
  }

  private double count() throws Exception {
    return operator.metric("artifact_server_transfer_seconds_count");
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.rest.endtoend.Siege.quietly;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploads over several requests, by draft-ietf-httpbis-resumable-upload-12. */
@Transports(
    value = {Transport.HTTP1, Transport.H2},
    nightly = {Transport.H2C, Transport.TLS12, Transport.TLS13})
class ResumableUploadIT extends EachTransport {
  private static final String VERSION = "Upload-Draft-Interop-Version: 8\r\n";
  private static final String APPEND = VERSION + "Content-Type: application/partial-upload\r\n";
  private static final int LENGTH = 500_000;

  private final byte[] content = Bytes.random(LENGTH, 52);
  private Operator operator;
  private Wire wire;

  @BeforeEach
  void connect() throws Exception {
    operator = server.operator();
    wire = open();
  }

  @AfterEach
  void disconnect() throws IOException {
    wire.close();
    operator.close();
  }

  /** Section 4.2: all bytes in one request, and an address in case it breaks off. */
  @ParameterizedTest
  @ValueSource(strings = {"PUT", "POST"})
  void anUploadThatDoesNotBreakOffIsAnsweredAsAnyOther(String method) throws Exception {
    String path = path(method + "-whole");
    send(method, path, VERSION + "Upload-Complete: ?1\r\n", content);
    Response interim = wire.receive(false);
    assertThat(interim.status()).isEqualTo(104);
    assertThat(interim.field("Location").orElseThrow()).startsWith("/api/v1/uploads/");
    assertThat(interim.field("Upload-Draft-Interop-Version")).contains("8");
    assertThat(interim.field("Upload-Limit").orElseThrow()).matches("max-size=\\d+, max-age=86400");
    Response answer = wire.receive(true);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.field("Upload-Complete")).contains("?1");
    assertThat(answer.field("ETag")).contains('"' + sha256(content).hex() + '"');
    assertStored(path);
    Response head = ask("HEAD", interim.field("Location").get(), VERSION, new byte[0]);
    assertThat(head.status()).isEqualTo(204);
    assertThat(head.field("Upload-Complete")).contains("?1");
    assertThat(head.field("Upload-Offset")).contains(String.valueOf(LENGTH));
    assertThat(head.field("Content-Location")).contains(path);
  }

  /** Draft 12 has version 9. */
  @Test
  void theNewerVersionIsAnsweredWithItself() throws Exception {
    String path = path("newer");
    String version = "Upload-Draft-Interop-Version: 9\r\n";
    wire.send(head("PUT", path, version + "Upload-Complete: ?1\r\n", LENGTH));
    Response interim = wire.receive(false);
    assertThat(interim.status()).isEqualTo(104);
    assertThat(interim.field("Upload-Draft-Interop-Version")).contains("9");
    wire.sendBytes(content, 0, LENGTH);
    assertThat(wire.receive(true).status()).isEqualTo(201);
    assertStored(path);
    Response options = ask("OPTIONS", path, version, new byte[0]);
    assertThat(options.field("Upload-Draft-Interop-Version")).contains("9");
  }

  @Test
  void anUploadThatBreaksOffGoesOn() throws Exception {
    String path = path("broken");
    String upload;
    try (Wire broken = open()) {
      broken.send(head("PUT", path, VERSION + "Upload-Complete: ?1\r\n", LENGTH));
      upload = broken.receive(false).field("Location").orElseThrow();
      broken.sendBytes(content, 0, 200_000);
      eventually(
          "the bytes are there",
          () -> operator.unfinishedUpload(upload).contains("\"position\":200000"));
    }
    Response head = ask("HEAD", upload, VERSION, new byte[0]);
    assertThat(head.status()).isEqualTo(204);
    assertThat(head.field("Upload-Offset")).contains("200000");
    assertThat(head.field("Upload-Complete")).contains("?0");
    assertThat(head.field("Upload-Length")).contains(String.valueOf(LENGTH));
    assertThat(head.field("Cache-Control")).contains("no-store");
    Response wrong = append(upload, 199_999, true, content);
    assertThat(wrong.status()).isEqualTo(409);
    assertThat(wrong.field("Upload-Offset")).contains("200000");
    assertThat(wrong.field("Upload-Complete")).contains("?0");
    assertThat(wrong.text())
        .contains(
            "https://iana.org/assignments/http-problem-types#mismatching-upload-offset",
            "\"expected-offset\":200000",
            "\"provided-offset\":199999");
    Response last = append(upload, 200_000, true, Arrays.copyOfRange(content, 200_000, LENGTH));
    assertThat(last.status()).isEqualTo(201);
    assertThat(last.field("Upload-Complete")).contains("?1");
    assertThat(last.field("Location")).contains(path);
    assertStored(path);
    Response late = append(upload, LENGTH, true, new byte[0]);
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.field("Upload-Complete")).contains("?1");
    assertThat(late.text()).contains("#completed-upload");
  }

  /** A form's own POST is for the same address. */
  @Test
  void aBodyThatIsAFormIsStoredAsItIs() throws Exception {
    String path = path("form");
    String fields = "Upload-Complete: ?1\r\nContent-Type: multipart/form-data; boundary=x\r\n";
    send("POST", path, VERSION + fields, content);
    assertThat(wire.receive(false).status()).isEqualTo(104);
    Response answer = wire.receive(true);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.field("Upload-Complete")).contains("?1");
    assertStored(path);
  }

  /** Section 4.4: the client does not say how long it is until it is over. */
  @Test
  void anUploadMayComeInParts() throws Exception {
    String path = path("parts");
    send("PUT", path, VERSION + "Upload-Complete: ?0\r\n", Arrays.copyOf(content, 100_000));
    String upload = wire.receive(false).field("Location").orElseThrow();
    Response created = wire.receive(true);
    assertThat(created.status()).isEqualTo(201);
    assertThat(created.field("Location")).contains(upload);
    assertThat(created.field("Upload-Complete")).contains("?0");
    byte[] second = Arrays.copyOfRange(content, 100_000, 300_000);
    byte[] damaged = second.clone();
    damaged[7] ^= 1;
    String digest = "Content-Digest: sha-256=:" + sha256(second).base64() + ":\r\n";
    Response wrong = ask("PATCH", upload, fields(100_000, false) + digest, damaged);
    assertThat(wrong.status()).isEqualTo(460);
    Response next = ask("PATCH", upload, fields(100_000, false) + digest, second);
    assertThat(next.status()).as(next.text()).isEqualTo(204);
    assertThat(next.field("Upload-Complete")).contains("?0");
    assertThat(next.field("Upload-Offset")).contains("300000");
    assertThat(
            append(upload, 300_000, false, Arrays.copyOfRange(content, 300_000, LENGTH)).status())
        .isEqualTo(204);
    assertThat(ask("HEAD", upload, VERSION, new byte[0]).field("Upload-Complete")).contains("?0");
    assertThat(append(upload, LENGTH, true, new byte[0]).status()).isEqualTo(201);
    assertStored(path);
  }

  @Test
  void continueStillComes() throws Exception {
    if (transport.isHttp2()) {
      return;
    }
    wire.send(
        head(
            "PUT",
            path("continued"),
            VERSION + "Upload-Complete: ?1\r\nExpect: 100-continue\r\n",
            9));
    assertThat(wire.receive(false).status()).isEqualTo(104);
    assertThat(wire.receive(false).status()).isEqualTo(100);
    wire.send("nine byte");
    assertThat(wire.receive(true).status()).isEqualTo(201);
  }

  /** Section 4.3: a client that knows no HEAD gets the same, without a body. */
  @Test
  void getTellsTheOffsetToo() throws Exception {
    send(
        "PUT",
        path("get"),
        VERSION + "Upload-Complete: ?0\r\nUpload-Length: 30\r\n",
        Arrays.copyOf(content, 10));
    String upload = wire.receive(false).field("Location").orElseThrow();
    assertThat(wire.receive(true).status()).isEqualTo(201);
    Response get = ask("GET", upload, VERSION, new byte[0]);
    assertThat(get.status()).isEqualTo(204);
    assertThat(get.field("Upload-Offset")).contains("10");
    assertThat(get.field("Upload-Complete")).contains("?0");
    assertThat(get.field("Upload-Length")).contains("30");
    assertThat(get.field("Upload-Limit")).isPresent();
    assertThat(get.field("Cache-Control")).contains("no-store");
    // RFC 5789, section 2.2.
    Response typed = ask("PATCH", upload, "Content-Type: text/plain\r\n", new byte[1]);
    assertThat(typed.status()).isEqualTo(415);
    assertThat(typed.field("Accept-Patch").orElseThrow()).contains("application/partial-upload");
    assertThat(ask("DELETE", upload, "", new byte[0]).status()).isEqualTo(204);
    assertThat(ask("GET", upload, VERSION, new byte[0]).status()).isEqualTo(404);
  }

  /** Section 4.1. */
  @Test
  void aRefusalTellsWhichLengthIsWrong() throws Exception {
    String inconsistent = "Upload-Complete: ?1\r\nUpload-Length: 100\r\n";
    Response refused = ask("PUT", path("lengths"), VERSION + inconsistent, new byte[5]);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.field("Upload-Complete")).contains("?0");
    assertThat(refused.text())
        .contains("https://iana.org/assignments/http-problem-types#inconsistent-upload-length");
    String large = "Upload-Complete: ?0\r\nUpload-Length: 999999999999999\r\n";
    Response tooLarge = ask("PUT", path("large"), VERSION + large, new byte[5]);
    assertThat(tooLarge.status()).isEqualTo(413);
    assertThat(tooLarge.field("Upload-Complete")).contains("?0");
    assertThat(tooLarge.field("Upload-Limit").orElseThrow()).startsWith("max-size=");
  }

  /** Clients of older drafts are on a hundred million telephones. */
  @Test
  void withoutTheVersionThereIsNoInterimAnswer() throws Exception {
    send("PUT", path("old"), "Upload-Complete: ?1\r\nUpload-Draft-Interop-Version: 6\r\n", content);
    assertThat(wire.receive(true).status()).isEqualTo(201);
    send("PUT", path("old-part"), "Upload-Complete: ?0\r\n", Arrays.copyOf(content, 10));
    Response refused = wire.receive(true);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("Upload-Draft-Interop-Version: 8 or 9");
    try (Wire other = open()) {
      other.send(head("POST", path("old-post"), "", 0));
      assertThat(other.receive(true).status()).isEqualTo(405);
    }
  }

  @Test
  void optionsTellTheLimit() throws Exception {
    Response options = ask("OPTIONS", path("any"), "", new byte[0]);
    assertThat(options.status()).isEqualTo(204);
    assertThat(options.field("Accept-Patch")).contains("application/partial-upload");
    assertThat(options.field("Upload-Limit").orElseThrow()).startsWith("max-size=");
    assertThat(options.field("Allow").orElseThrow()).contains("PUT", "POST");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Upload-Complete: ?2            | 400 | Upload-Complete",
        "Upload-Complete: true          | 400 | Upload-Complete",
        "X-Nothing: 1                   | 400 | Upload-Complete",
        "Upload-Complete: ?1            | 400 | Upload-Offset",
        "Upload-Complete: ?0,Upload-Offset: -1 | 400 | Upload-Offset",
        "Upload-Complete: ?0,Upload-Offset: 1e2 | 400 | Upload-Offset",
        "Upload-Complete: ?0,Upload-Offset: 9999999999999999 | 400 | Upload-Offset",
        "Upload-Complete: ?1,Upload-Offset: 10,Upload-Length: 7 | 400 | Upload-Length",
        "Upload-Complete: ?0,Upload-Offset: 10,Upload-Length: 7 | 400 | length",
      })
  void aMalformedFieldIsAsNone(String fields, int status, String detail) throws Exception {
    String path = path("malformed-" + Integer.toHexString(fields.hashCode()));
    send("PUT", path, VERSION + "Upload-Complete: ?0\r\n", Arrays.copyOf(content, 10));
    String upload = wire.receive(false).field("Location").orElseThrow();
    assertThat(wire.receive(true).status()).isEqualTo(201);
    Response refused =
        ask("PATCH", upload, APPEND + fields.replace(",", "\r\n") + "\r\n", new byte[] {1, 2});
    assertThat(refused.status()).as(refused.text()).isEqualTo(status);
    assertThat(refused.text()).contains(detail);
    assertThat(ask("DELETE", upload, "", new byte[0]).status()).isEqualTo(204);
    assertThat(ask("HEAD", upload, VERSION, new byte[0]).status()).isEqualTo(404);
  }

  /** Both protocols have the same uploads. */
  @Test
  void tusGoesOnWhereTheDraftWas() throws Exception {
    String path = path("mixed");
    send(
        "PUT",
        path,
        VERSION + "Upload-Complete: ?0\r\nUpload-Length: %d\r\n".formatted(LENGTH),
        Arrays.copyOf(content, 100_000));
    String upload = wire.receive(false).field("Location").orElseThrow();
    assertThat(wire.receive(true).status()).isEqualTo(201);
    String tus = "Tus-Resumable: 1.0.0\r\n";
    assertThat(ask("HEAD", upload, tus, new byte[0]).field("Upload-Offset")).contains("100000");
    String fields =
        tus + "Upload-Offset: 100000\r\nContent-Type: application/offset+octet-stream\r\n";
    assertThat(ask("PATCH", upload, fields, Arrays.copyOfRange(content, 100_000, LENGTH)).status())
        .isEqualTo(204);
    assertStored(path);
  }

  /** A change is in the audit, whichever request made it. */
  @Test
  void anUploadThatAHeadCompletesIsInTheAudit() throws Exception {
    String path = path("head");
    send(
        "PUT",
        path,
        VERSION + "Upload-Complete: ?0\r\nUpload-Length: %d\r\n".formatted(LENGTH),
        content);
    String upload = wire.receive(false).field("Location").orElseThrow();
    assertThat(wire.receive(true).status()).isEqualTo(201);
    assertThat(ask("HEAD", upload, VERSION, new byte[0]).status()).isEqualTo(204);
    assertThat(operator.get(path).statusCode()).isEqualTo(404);
    long before = audited("HEAD", upload);
    Response head = ask("HEAD", upload, "Tus-Resumable: 1.0.0\r\n", new byte[0]);
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.field("Upload-Offset")).contains(String.valueOf(LENGTH));
    assertStored(path);
    assertThat(before).isZero();
    assertThat(audited("HEAD", upload)).isEqualTo(1);
    assertThat(ask("HEAD", upload, "Tus-Resumable: 1.0.0\r\n", new byte[0]).status())
        .isEqualTo(200);
    assertThat(audited("HEAD", upload)).isEqualTo(1);
  }

  @Test
  void anotherDigestThanAnnouncedIsTheEndOfTheUpload() throws Exception {
    String path = path("digest");
    send(
        "PUT",
        path,
        VERSION
            + "Upload-Complete: ?1\r\nRepr-Digest: sha-256=:%s:\r\n"
                .formatted(sha256(new byte[1]).base64()),
        content);
    assertThat(wire.receive(false).status()).isEqualTo(104);
    Response refused = wire.receive(true);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.field("Upload-Complete")).contains("?1");
    assertThat(operator.get(path).statusCode()).isEqualTo(404);
  }

  /** Entries of requests for an address that name what has become of it. */
  private long audited(String method, String address) throws Exception {
    return operator.audit().stream()
        .filter(line -> line.contains("\"method\":\"%s\"".formatted(method)))
        .filter(line -> line.contains('"' + address + '"') && line.contains("\"after\""))
        .count();
  }

  private Response append(String upload, long offset, boolean isLast, byte[] bytes)
      throws IOException {
    return ask("PATCH", upload, fields(offset, isLast), bytes);
  }

  private static String fields(long offset, boolean isLast) {
    return APPEND
        + "Upload-Offset: %d\r\nUpload-Complete: %s\r\n".formatted(offset, isLast ? "?1" : "?0");
  }

  private Response ask(String method, String path, String fields, byte[] body) throws IOException {
    try (Wire other = open()) {
      other.send(head(method, path, fields, body.length));
      // Some are refused before it.
      quietly(() -> other.sendBytes(body, 0, body.length));
      return other.receive(!method.equals("HEAD"));
    }
  }

  private void send(String method, String path, String fields, byte[] body) throws IOException {
    wire.send(head(method, path, fields, body.length));
    wire.sendBytes(body, 0, body.length);
  }

  private String head(String method, String path, String fields, int length) throws IOException {
    return "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%sContent-Length: %d\r\n\r\n"
        .formatted(method, path, server.operatorToken(), fields, length);
  }

  private String path(String name) {
    return "/api/v1/repositories/public/artifacts/draft/%s-%s".formatted(transport, name);
  }

  private void assertStored(String path) throws Exception {
    assertThat(
            operator
                .download(
                    path.replace("/api/v1/repositories/public/artifacts", "/artifacts/public"))
                .body())
        .isEqualTo(content);
  }

  private static Digest sha256(byte[] bytes) {
    return Digest.of(
        DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(bytes));
  }
}

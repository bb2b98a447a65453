package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.StopWatch;

/**
 * A client whose network froze comes back by another connection, and finds its upload free and true
 * at once: its older request is ended, not waited for.
 */
@Transports(
    value = {Transport.HTTP1, Transport.H2C},
    nightly = {Transport.TLS12, Transport.TLS13, Transport.H2})
class NewerRequestIT extends EachTransport {
  private static final int LENGTH = 1_000_000;
  private static final int SENT = 300_001;
  private static final Duration AT_ONCE = Duration.ofSeconds(5);

  private final byte[] content = Bytes.random(LENGTH, 51);
  private Operator operator;

  @BeforeEach
  void connect() throws Exception {
    operator = server.operator();
  }

  @AfterEach
  void disconnect() {
    operator.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Tus-Resumable: 1.0.0", "Upload-Draft-Interop-Version: 8"})
  void theNewerRequestHasTheTrueOffset(String protocol) throws Exception {
    boolean isTus = protocol.startsWith("Tus");
    String type = isTus ? "application/offset+octet-stream" : "application/partial-upload";
    String path = "newer/%s-%s".formatted(transport, isTus ? "tus" : "draft");
    String upload = begin(path);
    try (Wire frozen = open()) {
      freeze(frozen, upload, protocol, type, 0, SENT);
      Response head = atOnce("HEAD " + upload, protocol, "", new byte[0]);
      assertThat(head.field("Upload-Offset")).contains(String.valueOf(SENT));
      awaitClosed(upload);
      try (Wire again = open()) {
        freeze(again, upload, protocol, type, SENT, SENT);
        // Where the older one has come to is where the newer one may begin.
        Response patch =
            atOnce(
                "PATCH " + upload,
                protocol,
                "Content-Type: %s\r\nUpload-Offset: %d\r\nUpload-Complete: ?1\r\n"
                    .formatted(type, 2 * SENT),
                Arrays.copyOfRange(content, 2 * SENT, LENGTH));
        assertThat(patch.status()).as(patch.text()).isIn(201, 204);
      }
    }
    assertThat(operator.download("/artifacts/public/" + path).body()).isEqualTo(content);
  }

  @Test
  void aDeletionEndsTheOlderRequest() throws Exception {
    String protocol = "Tus-Resumable: 1.0.0";
    String upload = begin("newer/%s-ended".formatted(transport));
    try (Wire frozen = open()) {
      freeze(frozen, upload, protocol, "application/offset+octet-stream", 0, SENT);
      assertThat(atOnce("DELETE " + upload, protocol, "", new byte[0]).status()).isEqualTo(204);
      assertThat(atOnce("HEAD " + upload, protocol, "", new byte[0]).status()).isEqualTo(404);
    }
    assertThat(operator.get(TusClient.PATH).body()).doesNotContain(upload.substring(16));
  }

  private String begin(String path) throws IOException {
    return atOnce(
            "POST " + TusClient.PATH,
            "Tus-Resumable: 1.0.0",
            "Upload-Length: %d\r\nUpload-Metadata: %s\r\n"
                .formatted(
                    LENGTH, TusClient.metadata(Map.of("repository", "public", "path", path))),
            new byte[0])
        .field("Location")
        .orElseThrow();
  }

  /** Sends a part of what it announces, until the server has it. */
  private void freeze(
      Wire wire, String upload, String protocol, String type, int offset, int length)
      throws Exception {
    wire.send(
        "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n"
                .formatted(upload, server.operatorToken(), protocol)
            + "Upload-Offset: %d\r\nUpload-Complete: ?1\r\nContent-Type: %s\r\n"
                .formatted(offset, type)
            + "Content-Length: %d\r\n\r\n".formatted(LENGTH - offset));
    wire.sendBytes(content, offset, length);
    eventually(
        "the bytes are there",
        () ->
            operator
                .get(TusClient.PATH)
                .body()
                .matches(
                    "(?s).*\"%s\"[^{}]*\"position\":%d,.*"
                        .formatted(
                            upload.substring(upload.lastIndexOf('/') + 1), offset + length)));
  }

  private void awaitClosed(String upload) throws Exception {
    eventually(
        "the older request is over",
        () ->
            !operator
                .get(TusClient.PATH)
                .body()
                .matches(
                    "(?s).*\"%s\"[^{}]*\"open\":true.*"
                        .formatted(upload.substring(upload.lastIndexOf('/') + 1))));
  }

  private Response atOnce(String request, String protocol, String fields, byte[] body)
      throws IOException {
    StopWatch watch = new StopWatch();
    watch.start();
    try (Wire wire = open()) {
      wire.send(
          "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n%sContent-Length: %d\r\n\r\n"
              .formatted(request, server.operatorToken(), protocol, fields, body.length));
      wire.sendBytes(body, 0, body.length);
      Response answer = wire.receive(!request.startsWith("HEAD"));
      watch.stop();
      assertThat(watch.getTotalTimeMillis()).isLessThan(AT_ONCE.toMillis());
      return answer;
    }
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.rest.endtoend.Siege.quietly;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
  private static final int PIECE = 200;
  private static final int ROUNDS = Nightly.IS_NOW ? 30 : 8;

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

  /** Its thread reads from the connection when the newer request comes. */
  @Test
  void anOlderRequestWhoseBytesComeIsEnded() throws Exception {
    String protocol = "Tus-Resumable: 1.0.0";
    String type = "application/offset+octet-stream";
    for (int i = 0; i < ROUNDS; i++) {
      String path = "newer/%s-busy-%d".formatted(transport, i);
      String upload = begin(path);
      int offset;
      try (Wire older = open()) {
        sendHead(older, upload, protocol, type, 0);
        older.sendBytes(content, 0, PIECE);
        awaitPosition(upload, PIECE);
        AtomicBoolean isOver = new AtomicBoolean();
        CountDownLatch isBusy = new CountDownLatch(1 + i);
        CompletableFuture<Void> sender =
            CompletableFuture.runAsync(() -> sendAllButTheEnd(older, isBusy, isOver));
        assertThat(isBusy.await(1, TimeUnit.MINUTES)).isTrue();
        offset =
            atOnce("HEAD " + upload, protocol, "", new byte[0])
                .field("Upload-Offset")
                .map(Integer::parseInt)
                .orElseThrow();
        isOver.set(true);
        sender.join();
        assertThat(isAnsweredWithAConflictOrCutOff(older)).isTrue();
      }
      byte[] rest = Arrays.copyOfRange(content, offset, LENGTH);
      Response patch =
          atOnce(
              "PATCH " + upload,
              protocol,
              "Content-Type: %s\r\nUpload-Offset: %d\r\n".formatted(type, offset),
              rest);
      assertThat(patch.status()).as(patch.text()).isEqualTo(204);
      assertThat(operator.download("/artifacts/public/" + path).body()).isEqualTo(content);
    }
  }

  /** Small pieces keep the server's thread busy. The last one is never sent. */
  private void sendAllButTheEnd(Wire wire, CountDownLatch isBusy, AtomicBoolean isOver) {
    quietly(() -> {
      for (int at = PIECE; at < LENGTH - PIECE && !isOver.get(); at += PIECE) {
        wire.sendBytes(content, at, PIECE);
        isBusy.countDown();
      }
    });
  }

  private static boolean isAnsweredWithAConflictOrCutOff(Wire wire) throws IOException {
    try {
      return wire.receive(true).status() == 409;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      // Cut off, or its stream was reset.
      return true;
    }
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
    assertThat(operator.unfinishedUpload(upload)).isEmpty();
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
    sendHead(wire, upload, protocol, type, offset);
    wire.sendBytes(content, offset, length);
    awaitPosition(upload, offset + length);
  }

  private void sendHead(Wire wire, String upload, String protocol, String type, int offset)
      throws Exception {
    wire.send(
        "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n"
                .formatted(upload, server.operatorToken(), protocol)
            + "Upload-Offset: %d\r\nUpload-Complete: ?1\r\nContent-Type: %s\r\n"
                .formatted(offset, type)
            + "Content-Length: %d\r\n\r\n".formatted(LENGTH - offset));
  }

  private void awaitPosition(String upload, int position) {
    eventually(
        "the bytes are there",
        () -> operator.unfinishedUpload(upload).contains("\"position\":%d,".formatted(position)));
  }

  private void awaitClosed(String upload) throws Exception {
    eventually(
        "the older request is over",
        () -> !operator.unfinishedUpload(upload).contains("\"open\":true"));
  }

  /** The wire gives up before the server ends a request that is frozen. */
  private Response atOnce(String request, String protocol, String fields, byte[] body)
      throws IOException {
    try (Wire wire = open()) {
      wire.send(
          "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n%sContent-Length: %d\r\n\r\n"
              .formatted(request, server.operatorToken(), protocol, fields, body.length));
      wire.sendBytes(body, 0, body.length);
      return wire.receive(!request.startsWith("HEAD"));
    }
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections that do nothing, or too little, are ended. */
@Transports(value = Transport.HTTP1, nightly = Transport.TLS13)
@InTurn(3)
class IdleConnectionsIT extends ConnectionFixture {
  @Override
  List<String> patience() {
    return List.of(
        "--artifact-server.connections.idle-timeout=4s",
        "--artifact-server.connections.request-timeout=" + (transport.isSecured() ? "2s" : "1s"));
  }

  @Test
  void idleConnectionIsClosed() throws IOException {
    try (Wire wire = patient.open()) {
      wire.send(SMALL);
      assertThat(wire.receive(true).status()).isEqualTo(206);
      assertThat(wire.isClosedByServer()).isTrue();
    }
  }

  @Test
  void connectionThatNeverAsksIsClosed() throws IOException {
    try (Wire wire = patient.open()) {
      assertThat(wire.isClosedByServer()).isTrue();
    }
  }

  /** Each byte starts Jetty's own time-out again. */
  @Test
  void headThatDribblesInIsCutOff() throws Exception {
    assertThat(isCutOffWhileItDribbles(patient, "GET /artifacts/public/large.bin HTTP/1.1\r\nX: "))
        .isTrue();
  }

  @Test
  void requestInTimeOnAnOldConnectionIsServed() throws Exception {
    try (Wire wire = patient.open()) {
      for (int i = 0; i < 5; i++) {
        wire.send(SMALL);
        assertThat(wire.receive(true).status()).isEqualTo(206);
        pause(Duration.ofMillis(700));
      }
    }
  }

  @Test
  void uploadThatStopsIsCutOff() throws Exception {
    try (Wire wire = patient.open()) {
      wire.send(put(patient, "stalled.bin", 1_000_000) + "only this");
      String answer = new String(wire.body().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).doesNotContain("201");
    }
  }

  @Test
  void uploadBelowTheMinimumRateIsCutOff() throws Exception {
    assertThat(isCutOffWhileItDribbles(strict, put(strict, "dribbled.bin", 1_000_000))).isTrue();
  }

  private static String put(Endpoint server, String name, int length) throws IOException {
    return "PUT /api/v1/repositories/public/artifacts/%s HTTP/1.1\r\nHost: operator\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(name, server.operatorToken(), length);
  }

  /** Sends a byte now and then, for a minute at most, until the connection is gone. */
  private static boolean isCutOffWhileItDribbles(Endpoint server, String begin) throws Exception {
    try (Socket socket = server.secured(server.connect(0))) {
      socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
      socket.setSoTimeout(100);
      for (int i = 0; i < 600; i++) {
        try {
          socket.getOutputStream().write('x');
          if (socket.getInputStream().read() < 0) {
            return true;
          }
        } catch (java.net.SocketTimeoutException _) {
          // Still there.
        } catch (IOException _) {
          return true;
        }
      }
      return false;
    }
  }
}

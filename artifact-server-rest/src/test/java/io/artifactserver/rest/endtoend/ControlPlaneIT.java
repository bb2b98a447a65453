package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who gets to the control plane, and what a browser can be made to do there. */
@ExtendWith(SharedServer.class)
class ControlPlaneIT {
  private static final int UPLOAD_LENGTH = 20_000_000;

  @Test
  void aBrowserIsNotAskedForAPassword(PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      for (String path :
          new String[] {"/api/v1/repositories", "/v3/api-docs", "/actuator/metrics", "/nowhere"}) {
        wire.send("GET %s HTTP/1.1\r\nHost: a\r\n\r\n".formatted(path));
        Response refused = wire.receive(true);
        assertThat(refused.status()).as(path).isEqualTo(401);
        assertThat(refused.field("WWW-Authenticate"))
            .as(path)
            .contains("Bearer realm=\"artifact-server\"");
        assertThat(refused.text()).contains("Token needed");
      }
      // Devices may know nothing else.
      wire.send("GET /artifacts/secret/x HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(wire.receive(true).field("WWW-Authenticate").orElseThrow()).contains("Basic ");
    }
  }

  /** A token that has to be looked up is refused by Spring Security. */
  @Test
  void aTokenThatDoesNotExistIsRefusedAlike(PackagedServer server) throws IOException {
    String token = server.operatorToken();
    String other = token.substring(0, 4) + "0000" + token.substring(8);
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "GET /api/v1/repositories HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(other));
      Response refused = wire.receive(true);
      assertThat(refused.status()).isEqualTo(401);
      assertThat(refused.field("WWW-Authenticate")).contains("Bearer realm=\"artifact-server\"");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DELETE | Sec-Fetch-Site: cross-site     | 403",
        "DELETE | Sec-Fetch-Site: same-site      | 403",
        "DELETE | Sec-Fetch-Site: same-origin    | 404",
        "DELETE | Sec-Fetch-Site: none           | 404",
        "DELETE | Origin: https://evil.example   | 403",
        "DELETE | Origin: null                   | 403",
        "DELETE | Origin: http://fw.example:1    | 403",
        "DELETE | Origin: https://FW.example     | 404",
        "DELETE | X-Other: none                  | 404",
        "GET    | Sec-Fetch-Site: cross-site     | 404",
        "GET    | Origin: https://evil.example   | 404"
      })
  void whatChangesSomethingIsNotTakenFromAnotherSite(
      String method, String field, int status, PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "%s /api/v1/repositories/public/artifacts/absent HTTP/1.1\r\nHost: fw.example\r\n%s\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(method, field, server.operatorToken()));
      assertThat(wire.receive(true).status()).isEqualTo(status);
    }
  }

  /** The windows grow when it is accepted. */
  @Test
  void anUploadOverHttp2IsTakenWhole(PackagedServer server)
      throws IOException, InterruptedException {
    byte[] content = Bytes.random(UPLOAD_LENGTH, 77);
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      HttpResponse<Void> first =
          client.send(
              HttpRequest.newBuilder(server.uri("/artifacts/public/table.bin")).build(),
              BodyHandlers.discarding());
      assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> uploaded =
            client.send(
                HttpRequest.newBuilder(
                        server.uri("/api/v1/repositories/public/artifacts/over-http2-" + i))
                    .header("Authorization", "Bearer " + server.operatorToken())
                    .PUT(BodyPublishers.ofByteArray(content))
                    .build(),
                BodyHandlers.ofString());
        assertThat(uploaded.statusCode()).as(uploaded.body()).isEqualTo(201);
        assertThat(uploaded.version()).isEqualTo(HttpClient.Version.HTTP_2);
      }
      HttpResponse<byte[]> back =
          client.send(
              HttpRequest.newBuilder(server.uri("/artifacts/public/over-http2-1")).build(),
              BodyHandlers.ofByteArray());
      assertThat(back.body()).isEqualTo(content);
    }
  }
}

package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Access to the control plane, and the things that a browser can be made to do there. */
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

  /**
   * The rooms of the control plane compare paths as they are sent, and the servlets decode them.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST  | /api/v1/%75ploads",
        "POST  | /api/v1/uploads;x",
        "PATCH | /api/v1/uploads;x/00000000000000000000000000000000",
        "PUT   | /api/v1;y=2/repositories/public/artifacts/odd",
        "PUT   | /api/v1/repositories/public;x/artifacts/odd",
        "PUT   | /api/v1/repositories/public/artifacts;x/odd",
        "PUT   | /api/v1/repositories/public/%61rtifacts/odd",
        "PUT   | /api/v1/repositories/%70ublic/artifacts/odd",
        "GET   | /api/v1/repositories;x",
        "GET   | /actuator/health;x",
        "GET   | /%61ctuator/prometheus",
      })
  void aPathIsWrittenInOneWay(String method, String path, PackagedServer server)
      throws IOException {
    for (String token : new String[] {server.operatorToken(), ""}) {
      try (Wire wire = new Wire(server.port())) {
        wire.send(
            """
            %s %s HTTP/1.1\r
            Host: a\r
            Authorization: Bearer %s\r
            Tus-Resumable: 1.0.0\r
            Upload-Length: 3\r
            Upload-Offset: 0\r
            Upload-Metadata: repository cHVibGlj,path b2Rk\r
            Content-Type: application/offset+octet-stream\r
            Content-Length: 3\r
            \r
            abc\
            """
                .formatted(method, path, token));
        Response refused = wire.receive(true);
        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.text()).contains("Invalid name");
      }
    }
  }

  /** A field that names another method changes nothing of how an answer is written. */
  @ParameterizedTest
  @ValueSource(strings = {"HEAD", "PATCH", "DELETE"})
  void aMethodInAFieldIsAnsweredAsThePostThatItIs(String method, PackagedServer server)
      throws IOException {
    String absent = "/api/v1/uploads/" + "0".repeat(32);
    try (Wire wire = new Wire(server.port())) {
      for (String authorization :
          new String[] {
            "",
            "Authorization: Bearer %s\r\n".formatted("x".repeat(43)),
            "Authorization: Bearer %s\r\n".formatted(server.operatorToken())
          }) {
        wire.send(
            "POST %s HTTP/1.1\r\nHost: a\r\n%sX-HTTP-Method-Override: %s\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: 0\r\n\r\n"
                .formatted(absent, authorization, method));
        Response refused = wire.receive(true);
        assertThat(refused.status())
            .as(refused.text())
            .isEqualTo(authorization.contains(server.operatorToken()) ? 404 : 401);
      }
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

  /**
   * A refusal may be written before the body of its request has come. Either the connection goes on
   * after that body, or the answer says that it does not (RFC 9112, section 9.6): a client that is
   * not told loses its next request.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST | /api/v1/tokens                              |                             | 401",
        "POST | /api/v1/tokens                              | Authorization: Bearer WRONG | 401",
        "POST | /api/v1/tokens                              | Authorization: Basic eDp5   | 401",
        "POST | /api/v1/tokens                              | Sec-Fetch-Site: cross-site  | 403",
        "PUT  | /api/v1/repositories/public/artifacts/x     |                             | 401",
        "PUT  | /api/v1/repositories/public/artifacts/x     | Authorization: Bearer READER | 403",
        "POST | /artifacts/public/table.bin                 |                             | 405",
        "GET  | /artifacts/public/absent                    |                             | 404",
        "GET  | /artifacts/public/table.bin                 | Range: bytes=0-99           | 206",
        "GET  | /actuator/health                            |                             | 200",
        "TRACE | /api/v1/tokens                             |                             | 501"
      })
  void anAnswerBeforeTheBodySaysWhetherTheConnectionGoesOn(
      String method, String path, @Nullable String field, int status, PackagedServer server)
      throws IOException, InterruptedException {
    String more = field == null ? "" : withTokens(field, server) + "\r\n";
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "%s %s HTTP/1.1\r\nHost: a\r\n%sContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
              .formatted(method, path, more));
      Response answer = wire.receive(true);
      assertThat(answer.status()).as(answer.text()).isEqualTo(status);
      if (answer.field("Connection").equals(Optional.of("close"))) {
        assertThat(wire.isClosedByServer()).isTrue();
      } else {
        wire.send("{}GET /actuator/health HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(wire.receive(true).status()).isEqualTo(200);
      }
    }
  }

  private static String withTokens(String field, PackagedServer server)
      throws IOException, InterruptedException {
    String admin = server.operatorToken();
    if (field.contains("READER")) {
      try (Operator operator = new Operator(server)) {
        HttpResponse<String> made =
            operator.json(
                "POST",
                "/api/v1/tokens",
                "{\"name\":\"r\",\"role\":\"reader\",\"expires\":\"1h\"}");
        return field.replace(
            "READER", JsonMapper.shared().readTree(made.body()).get("token").asString());
      }
    }
    return field.replace("WRONG", admin.substring(0, 4) + "0000" + admin.substring(8));
  }

  /** The windows grow when it is accepted. */
  @Test
  void anUploadOverHttp2IsTakenWhole(PackagedServer server)
      throws IOException, InterruptedException {
    byte[] content = Bytes.random(UPLOAD_LENGTH, 77);
    try (HttpClient client = server.http2(HttpClient.newBuilder())) {
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

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.rest.endtoend.Siege.quietly;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Callers who may not touch an upload try to, while its own client sends it. */
@Transports(
    value = {Transport.HTTP1, Transport.H2C},
    nightly = {Transport.TLS12, Transport.TLS13, Transport.H2})
class UploadAttackIT extends EachTransport {
  private static final String UPLOADS = "/api/v1/uploads";
  private static final String TUS =
      "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n";
  private static final String DRAFT =
      "Upload-Draft-Interop-Version: 8\r\nContent-Type: application/partial-upload\r\n"
          + "Upload-Complete: ?1\r\n";
  private static final int LENGTH = 100_000;
  private static final int CONNECTIONS = 200;

  private final byte[] content = Bytes.random(LENGTH, 55);
  private Operator admin;

  @BeforeEach
  void connect() throws Exception {
    admin = server.operator();
  }

  @AfterEach
  void disconnect() {
    admin.close();
  }

  /** None of them learns where the upload is, ends its request, or changes a byte of it. */
  @ParameterizedTest
  @CsvSource({
    "nobody, '', 401",
    "stranger, '', 401",
    "device, '', 403",
    "reader, '', 403",
    "publisher, 'secret', 403",
  })
  void nobodyElseTouchesAnUpload(String role, String repository, int status) throws Exception {
    String token = token(role, repository);
    String path = "attack/%s-%s".formatted(transport, role);
    String upload = begin(server.operatorToken(), "public", path).field("Location").orElseThrow();
    try (Wire owner = open()) {
      owner.send(
          head("PATCH", upload, server.operatorToken(), TUS + "Upload-Offset: 0\r\n", LENGTH));
      owner.sendBytes(content, 0, 50_000);
      eventually(
          "the bytes are there",
          () -> admin.unfinishedUpload(upload).contains("\"position\":50000"));
      byte[] bytes = new byte[50_000];
      for (String offset : new String[] {"0", "50000"}) {
        String fields = "Upload-Offset: " + offset + "\r\n";
        assertRefused(ask("PATCH", upload, token, TUS + fields, bytes), status);
        assertRefused(ask("PATCH", upload, token, DRAFT + fields, bytes), status);
        String override = "X-HTTP-Method-Override: PATCH\r\n";
        assertRefused(ask("POST", upload, token, TUS + override + fields, bytes), status);
      }
      assertRefused(ask("HEAD", upload, token, TUS, new byte[0]), status);
      assertRefused(ask("HEAD", upload, token, DRAFT, new byte[0]), status);
      assertRefused(ask("DELETE", upload, token, "", new byte[0]), status);
      assertRefused(ask("GET", UPLOADS, token, "", new byte[0]), status);
      assertRefused(begin(token, "public", path), status);
      String artifact = "/api/v1/repositories/public/artifacts/" + path;
      for (String method : new String[] {"PUT", "POST"}) {
        assertRefused(ask(method, artifact, token, DRAFT, bytes), status);
      }
      owner.sendBytes(content, 50_000, 50_000);
      assertThat(owner.receive(true).status()).isEqualTo(204);
    }
    assertThat(admin.download("/artifacts/public/" + path).body()).isEqualTo(content);
  }

  /** A part of one scope makes no artifact of another. */
  @Test
  void aPublisherConcatenatesNoPartsOfOthers() throws Exception {
    String metadata =
        "Upload-Metadata: %s\r\nUpload-Concat: partial\r\nUpload-Length: 3\r\n"
            .formatted(TusClient.metadata(Map.of("repository", "secret", "path", "part")));
    String part =
        ask(
                "POST",
                UPLOADS,
                server.operatorToken(),
                "Tus-Resumable: 1.0.0\r\n" + metadata,
                new byte[0])
            .field("Location")
            .orElseThrow();
    String token = token("publisher", "public");
    Response refused =
        ask(
            "POST",
            UPLOADS,
            token,
            "Tus-Resumable: 1.0.0\r\nUpload-Concat: final;%s\r\nUpload-Metadata: %s\r\n"
                .formatted(
                    part, TusClient.metadata(Map.of("repository", "public", "path", "stolen"))),
            new byte[0]);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(ask("DELETE", part, server.operatorToken(), "", new byte[0]).status())
        .isEqualTo(204);
  }

  /** They hold no thread, so others go on; and they end with their token. */
  @Test
  void uploadsThatTrickleLeaveTurnsToOthersAndEndWithTheirToken() throws Exception {
    JsonNode attacker = create("publisher", "public");
    String token = attacker.get("token").asString();
    List<Wire> trickling = new ArrayList<>();
    List<String> uploads = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        String upload =
            begin(token, "public", "trickle/%s-%d".formatted(transport, i))
                .field("Location")
                .orElseThrow();
        uploads.add(upload);
        Wire wire = open();
        trickling.add(wire);
        wire.send(head("PATCH", upload, token, TUS + "Upload-Offset: 0\r\n", LENGTH));
        wire.sendBytes(content, 0, 10);
      }
      String other = token("publisher", "public");
      for (int i = 0; i < 5; i++) {
        String path = "attack/%s-other-%d".formatted(transport, i);
        String upload = begin(other, "public", path).field("Location").orElseThrow();
        assertThat(ask("PATCH", upload, other, TUS + "Upload-Offset: 0\r\n", content).status())
            .isEqualTo(204);
      }
      assertThat(admin.delete("/api/v1/tokens/" + attacker.get("id").asString()).statusCode())
          .isEqualTo(204);
      for (Wire each : Arrays.asList(trickling.getFirst(), trickling.getLast())) {
        eventually(
            "it ends",
            () -> {
              quietly(() -> each.sendBytes(content, 10, 1));
              return each.isAnswered();
            });
        assertThat(each.receive(true).status()).isEqualTo(401);
      }
    } finally {
      for (Wire each : trickling) {
        each.close();
      }
      // An admin tidies up, and needs no protocol for it.
      for (String each : uploads) {
        assertThat(admin.delete(each).statusCode()).isEqualTo(204);
      }
    }
  }

  private static void assertRefused(Response answer, int status) {
    if (status == 401) {
      // Many wrong tokens are answered with a 429.
      assertThat(answer.status()).as(answer.text()).isIn(401, 429);
    } else {
      assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    }
    assertThat(answer.fields()).doesNotContainKeys("upload-offset", "location");
  }

  private Response begin(String token, String repository, String path) throws IOException {
    return ask(
        "POST",
        UPLOADS,
        token,
        "Tus-Resumable: 1.0.0\r\nUpload-Length: %d\r\nUpload-Metadata: %s\r\n"
            .formatted(LENGTH, TusClient.metadata(Map.of("repository", repository, "path", path))),
        new byte[0]);
  }

  private Response ask(String method, String path, String token, String fields, byte[] body)
      throws IOException {
    try (Wire wire = open()) {
      wire.send(head(method, path, token, fields, body.length));
      // Some are refused before it.
      quietly(() -> wire.sendBytes(body, 0, body.length));
      return wire.receive(!method.equals("HEAD"));
    }
  }

  private static String head(String method, String path, String token, String fields, int length) {
    String authorization = token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n";
    return "%s %s HTTP/1.1\r\nHost: x\r\n%s%sContent-Length: %d\r\n\r\n"
        .formatted(method, path, authorization, fields, length);
  }

  private String token(String role, String repository) throws Exception {
    return switch (role) {
      case "nobody" -> "";
      case "stranger" -> "x".repeat(43);
      default -> create(role, repository).get("token").asString();
    };
  }

  private JsonNode create(String role, String repository) throws Exception {
    String scope = repository.isEmpty() ? "" : ",\"repositories\":[\"%s\"]".formatted(repository);
    return JsonMapper.shared()
        .readTree(
            admin
                .json(
                    "POST",
                    "/api/v1/tokens",
                    "{\"name\":\"attack\",\"role\":\"%s\",\"expires\":\"1h\"%s}"
                        .formatted(role, scope))
                .body());
  }
}

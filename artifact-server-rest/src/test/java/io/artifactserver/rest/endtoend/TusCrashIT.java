package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Uploads over several requests, while the server is killed. */
@InTurn(3)
class TusCrashIT {
  private static final int LENGTH = 30_000_000;
  private static final int SENT = 20_000_000;

  /** Between two checkpoints, in bytes. */
  private static final int INTERVAL = 8 << 20;

  /** The length of the first request, in bytes. */
  private static final int FIRST = 1_000_001;

  private final byte[] content = Bytes.random(LENGTH, 49);

  @TempDir private Path folder;

  @Test
  void anUploadGoesOnWhenItsServerWasKilled() throws Exception {
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"));
        Operator operator = new Operator(server)) {
      operator.createRepository("plain", true);
      operator.createEncryptedRepository("vault");
      goesOn(server, operator, "plain");
      goesOn(server, operator, "vault");
      try (Stream<Path> parts = Files.list(server.dataFolder().resolve("uploads"))) {
        assertThat(parts.filter(file -> file.toString().endsWith(".part"))).isEmpty();
      }
    }
  }

  @Test
  void anUploadToABucketGoesOnWhenItsServerWasKilled() throws Exception {
    try (S3ProxyServer s3 = S3ProxyServer.start(folder.resolve("s3"));
        PackagedServer server =
            PackagedServer.start(
                folder.resolve("data"),
                "--artifact-server.storage.backend=s3",
                "--artifact-server.storage.s3.endpoint=" + s3.endpoint(),
                "--artifact-server.storage.s3.region=us-east-1",
                "--artifact-server.storage.s3.bucket=firmware",
                "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
                "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
                "--artifact-server.storage.s3.path-style=true",
                "--artifact-server.storage.s3.create-bucket=true",
                "--artifact-server.storage.s3.part-size=5MB");
        Operator operator = new Operator(server)) {
      operator.createRepository("plain", true);
      operator.createEncryptedRepository("vault");
      goesOn(server, operator, "plain");
      goesOn(server, operator, "vault");
    }
  }

  private void goesOn(PackagedServer server, Operator operator, String repository)
      throws Exception {
    String upload = cutOff(server, operator, repository);
    try (TusClient client = new TusClient(server, server.operatorToken())) {
      long offset = client.offset(upload);
      assertThat(offset).isBetween((long) SENT - INTERVAL, (long) SENT);
      assertThat(
              client
                  .patch(upload, offset, Arrays.copyOfRange(content, (int) offset, LENGTH))
                  .statusCode())
          .isEqualTo(204);
    }
    assertThat(operator.download("/artifacts/" + repository + "/killed").body()).isEqualTo(content);
  }

  /** Begins an upload, and kills its server in the middle; returns the upload's path. */
  private String cutOff(PackagedServer server, Operator operator, String repository)
      throws Exception {
    String token = server.operatorToken();
    String upload;
    try (TusClient client = new TusClient(server, token)) {
      upload = client.begin(repository, "killed", LENGTH);
      assertThat(client.patch(upload, 0, Arrays.copyOf(content, FIRST)).statusCode())
          .isEqualTo(204);
    }
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\n"
                  .formatted(upload, token)
              + "Upload-Offset: %d\r\nContent-Type: application/offset+octet-stream\r\n"
                  .formatted(FIRST)
              + "Content-Length: %d\r\n\r\n".formatted(LENGTH - FIRST));
      wire.sendBytes(content, FIRST, SENT - FIRST);
      eventually(
          "the bytes are there",
          () -> operator.get(TusClient.PATH).body().contains("\"position\":" + SENT));
      server.kill();
    }
    server.restart();
    return upload;
  }

  @Test
  void aPythonClientGoesOnWhenItsServerWasKilled() throws Exception {
    Client python = new Client(folder);
    Files.write(folder.resolve("firmware.img"), content);
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"));
        Operator operator = new Operator(server)) {
      operator.createRepository("plain", true);
      // Five chunks now, the rest after a crash, by another process of the client.
      python.succeeds(python(server, LENGTH / 2));
      server.kill();
      server.restart();
      JsonNode listed =
          JsonMapper.shared().readTree(operator.get(TusClient.PATH).body()).path("uploads");
      assertThat(listed.get(0).path("position").asInt()).isEqualTo(LENGTH / 2);
      python.succeeds(python(server, 0));
      assertThat(operator.download("/artifacts/plain/python").body()).isEqualTo(content);
    }
  }

  private static String[] python(PackagedServer server, int stopAt) throws IOException {
    return TusClients.python(
        server.uri(TusClient.PATH).toString(),
        server.operatorToken(),
        "plain",
        "python",
        "",
        "checksum",
        String.valueOf(stopAt));
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uploads over several requests, while the server is killed. */
class TusCrashIT {
  private static final int LENGTH = 30_000_000;
  private static final int SENT = 20_000_000;

  /** Between two checkpoints, in bytes. */
  private static final int INTERVAL = 8 << 20;

  @TempDir private Path folder;

  @Test
  void anUploadGoesOnWhenItsServerWasKilled() throws Exception {
    byte[] content = Bytes.random(LENGTH, 49);
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"));
        Operator operator = new Operator(server)) {
      operator.createRepository("plain", true);
      operator.createEncryptedRepository("vault");
      for (String repository : List.of("plain", "vault")) {
        String token = server.operatorToken();
        String upload;
        try (TusClient client = new TusClient(server, token)) {
          upload = client.begin(repository, "killed", LENGTH);
          assertThat(client.patch(upload, 0, Arrays.copyOf(content, 1_000_001)).statusCode())
              .isEqualTo(204);
        }
        try (Wire wire = new Wire(server.port())) {
          wire.send(
              "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\n"
                      .formatted(upload, token)
                  + "Upload-Offset: 1000001\r\nContent-Type: application/offset+octet-stream\r\n"
                  + "Content-Length: %d\r\n\r\n".formatted(LENGTH - 1_000_001));
          wire.sendBytes(content, 1_000_001, SENT - 1_000_001);
          eventually(
              "the bytes are there",
              () -> operator.get(TusClient.PATH).body().contains("\"position\":" + SENT));
          server.kill();
        }
        server.restart();
        try (TusClient client = new TusClient(server, token)) {
          long offset = client.offset(upload);
          assertThat(offset).isBetween((long) SENT - INTERVAL, (long) SENT);
          assertThat(
                  client
                      .patch(upload, offset, Arrays.copyOfRange(content, (int) offset, LENGTH))
                      .statusCode())
              .isEqualTo(204);
        }
        assertThat(operator.download("/artifacts/" + repository + "/killed").body())
            .isEqualTo(content);
      }
      try (Stream<Path> parts = Files.walk(server.dataFolder())) {
        assertThat(parts.filter(file -> file.toString().endsWith(".part"))).isEmpty();
      }
    }
  }

  @Test
  void aPythonClientGoesOnWhenItsServerWasKilled() throws Exception {
    Client python = new Client(folder);
    assumeTrue(
        python.run("python3", "-c", "import tusclient").exitCode() == 0, "tuspy is not installed");
    byte[] content = Bytes.random(LENGTH, 50);
    Files.write(folder.resolve("firmware.img"), content);
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"));
        Operator operator = new Operator(server)) {
      operator.createRepository("plain", true);
      // Two chunks now, the rest after a crash, by another process of the client.
      String begin =
          """
          import sys
          from tusclient import client
          uploader = client.TusClient(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]}).uploader(
              "firmware.img", chunk_size=7000000, metadata={"repository": "plain", "path": "python"})
          uploader.upload_chunk()
          uploader.upload_chunk()
          print(uploader.url)
          """;
      String go =
          """
          import sys
          from tusclient import client
          uploader = client.TusClient(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]}).uploader(
              "firmware.img", url=sys.argv[3], chunk_size=7000000)
          assert uploader.offset == 14000000, uploader.offset
          uploader.upload()
          """;
      String address = server.uri(TusClient.PATH).toString();
      String url = python.succeeds("python3", "-c", begin, address, server.operatorToken()).strip();
      server.kill();
      server.restart();
      python.succeeds("python3", "-c", go, address, server.operatorToken(), url);
      assertThat(operator.download("/artifacts/plain/python").body()).isEqualTo(content);
    }
  }
}

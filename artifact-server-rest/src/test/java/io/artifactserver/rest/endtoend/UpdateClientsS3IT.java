package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.program.Programs;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link UpdateClients} of a server whose artifacts and forms lie in a bucket. */
@EnumSource(names = "HTTP1")
@Nightly("UpdateClientsIT has the clients, and S3DeliveryIT the bucket.")
class UpdateClientsS3IT extends UpdateClients {
  @SuppressWarnings("NullAway.Init") // Started before everything else.
  private S3ProxyServer s3;

  @Override
  List<String> startStorage(Path folder) throws Exception {
    s3 = S3ProxyServer.start(folder.resolve("s3"));
    return List.of(
        "--artifact-server.storage.backend=s3",
        "--artifact-server.storage.s3.endpoint=" + s3.endpoint(),
        "--artifact-server.storage.s3.region=us-east-1",
        "--artifact-server.storage.s3.bucket=firmware",
        "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
        "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
        "--artifact-server.storage.s3.path-style=true",
        "--artifact-server.storage.s3.create-bucket=true",
        // Else what was downloaded twice is served from memory.
        "--artifact-server.encryption.decrypted-cache-size=0");
  }

  /** The others differ in what is before the store. */
  @Override
  List<String> repositories() {
    return List.of("public", "secret-vault");
  }

  @Override
  void stopStorage() throws IOException {
    s3.close();
  }

  @Test
  void nothingIsOnTheServersDisk() {
    assertThat(server.server().dataFolder().resolve("blobs")).doesNotExist();
  }

  @ParameterizedTest
  @MethodSource("repositories")
  void compressedChunksComeOutOfTheBucket(String repository) throws Exception {
    Programs.assumeInstalled("casync");
    byte[] text = Bytes.random(3_000_000, 75);
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + (text[i] & 15));
    }
    put(repository, "text/text.img", text);
    String description = "/api/v1/repositories/" + repository + "/artifacts/text/text.img";
    eventually(
        "its chunks are compressed",
        () ->
            operator
                .get(description)
                .body()
                .matches("(?s).*\"name\":\"castr\",\"state\":\"ready\".*"));
    client.succeeds("casync", "extract", url(repository, "text/text.img.caibx"), "text.img");
    assertThat(Files.readAllBytes(folder.resolve("text.img"))).isEqualTo(text);
    assertThat(relay.answeredBytes()).isLessThan(text.length * 6L / 10);
  }

  /** Forms that are framed or compressed here are not in the bucket as clients want them. */
  @Test
  void formsAndChunksAreNeverRedirected() throws Exception {
    String repository = "/api/v1/repositories/public";
    assertThat(operator.json("PATCH", repository, "{\"redirect\": true}").statusCode())
        .isEqualTo(200);
    try {
      String folder = "/artifacts/public/fw/";
      assertThat(operator.downloadAsNobody(folder + "new.img").statusCode()).isEqualTo(302);
      String chunk = chunks(index("new")).keySet().iterator().next();
      String address = "default.castr/" + chunk.substring(0, 4) + "/" + chunk;
      for (String path : List.of("new.img.caibx", "new.img.zsync", address, address + ".cacnk")) {
        assertThat(operator.downloadAsNobody(folder + path).statusCode()).as(path).isEqualTo(200);
      }
    } finally {
      operator.json("PATCH", repository, "{\"redirect\": false}");
    }
  }
}

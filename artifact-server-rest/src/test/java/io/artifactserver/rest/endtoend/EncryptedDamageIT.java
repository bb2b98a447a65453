package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An encrypted repository of the packaged server whose files are damaged. */
@InTurn(7)
class EncryptedDamageIT extends EncryptedFixture {
  @ParameterizedTest
  @Transports(
      value = Transport.HTTP1,
      nightly = {Transport.TLS13, Transport.H2})
  void cutsADamagedDownloadOffAndMarksTheArtifact(Transport transport) throws Exception {
    byte[] content = markedContent(2);
    try (Endpoint server = Endpoint.start(transport, folder);
        Operator operator = server.operator()) {
      operator.createEncryptedRepository("vault");
      operator.put("vault", "firmware", content);
      damage(onlyBlob(), 1_000_000);
      assertThat(operator.get("/api/v1/repositories/vault/artifacts/firmware").body())
          .doesNotContain("suspect");
      for (int i = 0; i < 3; i++) {
        try (Wire wire = server.open()) {
          wire.send("GET /artifacts/vault/firmware HTTP/1.1\r\nHost: a\r\n\r\n");
          assertThat(wire.receive(false).status()).isEqualTo(200);
          byte[] received = wire.rest();
          // Short of the segment that has the damage, and not a byte of it.
          assertThat(received.length).isLessThanOrEqualTo(1_000_000);
          assertThat(received).isEqualTo(Arrays.copyOf(content, received.length));
        }
      }
      // Elsewhere the blob is good, and where it is not that is known before a byte is sent.
      assertThat(range(operator, 2_000_000, 1000).statusCode()).isEqualTo(206);
      HttpResponse<byte[]> refused = range(operator, 999_990, 20);
      assertThat(refused.statusCode()).isEqualTo(500);
      assertThat(new String(refused.body(), StandardCharsets.UTF_8)).contains("Artifact damaged");
      awaitSuspect(operator);
      assertThat(operator.get("/api/v1/repositories/vault/artifacts").body())
          .contains("\"suspect\":true");
      // The client may see the cut first.
      eventually(
          "all are counted", () -> operator.metric("artifact_server_blob_corrupt_total") == 4);
      assertThat(operator.get("/actuator/health").body()).contains("\"suspectBlobs\":1");
      assertThat(server.server().log().split("Cut off or refused a download", -1)).hasSize(2);
    }
  }

  /** For everybody who shares them. A deletion before is not needed, and does no harm. */
  @ParameterizedTest
  @CsvSource({"plain, short, true", "encrypted, flipped, false"})
  void uploadOfSameBytesRestoresThem(String kind, String loss, boolean isDeletedFirst)
      throws Exception {
    byte[] content = Bytes.random(LENGTH, 3);
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"));
        Operator operator = new Operator(server)) {
      for (String repository : List.of("vault", "other")) {
        if (kind.equals("encrypted")) {
          operator.createEncryptedRepository(repository);
        } else {
          operator.createRepository(repository, false);
        }
        assertThat(operator.put(repository, "firmware", content).statusCode()).isEqualTo(201);
      }
      Path blob = onlyBlob();
      switch (loss) {
        case "missing" -> Files.delete(blob);
        case "short" -> shorten(blob, 999_999);
        default -> damage(blob, 1_000_000);
      }
      assertThat(range(operator, 999_990, 20).statusCode())
          .isEqualTo(loss.equals("missing") ? 503 : 500);
      awaitSuspect(operator);
      if (isDeletedFirst) {
        assertThat(operator.delete("/api/v1/repositories/vault/artifacts/firmware").statusCode())
            .isEqualTo(204);
      }
      assertThat(operator.put("vault", "firmware", content).statusCode())
          .isEqualTo(isDeletedFirst ? 201 : 200);
      requireDelivered(operator, "/artifacts/vault/firmware", content);
      requireDelivered(operator, "/artifacts/other/firmware", content);
      assertThat(operator.get("/actuator/health").body()).contains("\"suspectBlobs\":0");
    }
  }

  @ParameterizedTest
  @CsvSource({"plain, missing, false", "encrypted, missing, true"})
  @Nightly("A missing blob is repaired as a damaged one is, which each build has.")
  void uploadOfSameBytesRestoresMissingOnes(String kind, String loss, boolean isDeletedFirst)
      throws Exception {
    uploadOfSameBytesRestoresThem(kind, loss, isDeletedFirst);
  }

  private static HttpResponse<byte[]> range(Operator operator, int position, int length)
      throws Exception {
    return operator.download(
        "/artifacts/vault/firmware",
        "Range",
        "bytes=%d-%d".formatted(position, position + length - 1));
  }

  private static void awaitSuspect(Operator operator) throws Exception {
    String path = "/api/v1/repositories/vault/artifacts/firmware";
    eventually(
        "the artifact is suspect", () -> operator.get(path).body().contains("\"suspect\":true"));
  }

  private static void shorten(Path blob, long length) throws IOException {
    Files.setPosixFilePermissions(blob, PosixFilePermissions.fromString("rw-------"));
    try (FileChannel channel = FileChannel.open(blob, StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }

  private static void damage(Path blob, long position) throws IOException {
    Files.setPosixFilePermissions(blob, PosixFilePermissions.fromString("rw-------"));
    try (FileChannel channel =
        FileChannel.open(blob, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, position);
      one.put(0, (byte) (one.get(0) ^ 1)).flip();
      channel.write(one, position);
    }
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Throughout.throughout;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The packaged server in front of a bucket whose gateway answers what nobody asked for. */
@ParameterizedClass(name = "{0}")
@Transports(value = Transport.H2, nightly = Transport.HTTP1)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Nightly("S3OddAnswerTest has the answers of a bucket; here a server passes them on.")
class S3OddAnswerIT {
  private static final int LENGTH = 3_000_001;
  private static final int POSITION = 1_000_000;
  private static final int RANGE_LENGTH = 1000;
  private static final List<String> REPOSITORIES = List.of("fleet", "vault");

  private static final List<Fault> ODD =
      List.of(
          new Fault.Refuse(404, "NoSuchKey"),
          new Fault.Refuse(412, "PreconditionFailed"),
          new Fault.Refuse(416, "InvalidRange"),
          new Fault.Field("Content-Range", "bytes 0-1/2"),
          new Fault.Field("ETag", "\"another\""),
          new Fault.Whole());

  private final byte[] firmware = Bytes.random(LENGTH, 31);
  private Path objects;
  private S3ProxyServer s3;
  private FaultProxy proxy;

  @Parameter private Transport transport;

  private Endpoint server;
  private Operator operator;

  @BeforeParameterizedClassInvocation(injectArguments = false)
  void start(@TempDir Path folder) throws Exception {
    objects = folder.resolve("s3");
    s3 = S3ProxyServer.start(objects);
    proxy = FaultProxy.start(s3.port());
    server =
        Endpoint.start(
            transport,
            folder,
            "--artifact-server.storage.backend=s3",
            "--artifact-server.storage.s3.endpoint=" + proxy.endpoint(),
            "--artifact-server.storage.s3.bucket=firmware",
            "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
            "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
            "--artifact-server.storage.s3.path-style=true",
            "--artifact-server.storage.s3.create-bucket=true",
            "--artifact-server.retire.sweep-interval=1s",
            "--artifact-server.encryption.decrypted-cache-size=0");
    operator = server.operator();
    operator.createRepository("fleet", true);
    operator.createEncryptedRepository("vault");
    for (String repository : REPOSITORIES) {
      assertThat(operator.put(repository, "firmware", firmware).statusCode()).isEqualTo(201);
    }
  }

  @AfterParameterizedClassInvocation
  void stop() throws IOException {
    if (server != null) {
      server.close();
      operator.close();
    }
    if (proxy != null) {
      proxy.close();
      s3.close();
    }
  }

  @Test
  void oneOddAnswerIsNotSeenByDevices() throws Exception {
    for (String repository : REPOSITORIES) {
      for (Fault odd : ODD) {
        proxy.plan(1, request -> request.field("Range").isPresent(), odd);
        requireRange(repository);
        assertThat(isSuspect(repository)).as("%s", odd).isFalse();
      }
    }
  }

  @Test
  void oddAnswersThatStayAreA503AndNoDamage() throws Exception {
    double before = operator.metric("artifact_server_blob_corrupt_total");
    for (String repository : REPOSITORIES) {
      for (Fault odd : ODD) {
        proxy.plan(Integer.MAX_VALUE, request -> request.field("Range").isPresent(), odd);
        HttpResponse<byte[]> refused = range(repository);
        assertThat(refused.statusCode()).as("%s", odd).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(refused.headers().firstValue("Content-Type"))
            .contains("application/problem+json");
        assertThat(new String(refused.body(), StandardCharsets.UTF_8))
            .contains("Storage unavailable");
        proxy.recover();
        requireRange(repository);
        assertThat(isSuspect(repository)).as("%s", odd).isFalse();
      }
    }
    assertThat(operator.metric("artifact_server_blob_corrupt_total")).isEqualTo(before);
  }

  @Test
  void aMissingObjectIsA503AndServedAgainOnceItIsBack() throws Exception {
    Path object = object("fleet");
    Path away = objects.resolve("away");
    Files.move(object, away);
    HttpResponse<byte[]> refused = range("fleet");
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    assertThat(new String(refused.body(), StandardCharsets.UTF_8)).contains("Artifact missing");
    eventually("the artifact is suspect", () -> isSuspect("fleet"));
    Files.move(away, object);
    requireRange("fleet");
    eventually("the suspicion ends", () -> !isSuspect("fleet"));
  }

  @Test
  void suspicionEndsWhenTheObjectIsRepaired() throws Exception {
    for (String repository : REPOSITORIES) {
      flip(object(repository), POSITION + 100);
      assertThat(range(repository).statusCode()).isEqualTo(500);
      eventually("the artifact is suspect", () -> isSuspect(repository));
      // For as long as some checks take, it stays so.
      throughout(Duration.ofSeconds(4), () -> assertThat(isSuspect(repository)).isTrue());
      assertThat(range(repository).statusCode()).isEqualTo(500);
      flip(object(repository), POSITION + 100);
      eventually("the suspicion ends", () -> !isSuspect(repository));
      requireRange(repository);
    }
    assertThat(server.server().log()).contains("suspect blobs are intact");
  }

  /** Other than that, nobody could get them back without a backup. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void uploadOfSameBytesRestoresThem(boolean isMissing) throws Exception {
    for (String repository : REPOSITORIES) {
      Path object = object(repository);
      if (isMissing) {
        Files.delete(object);
        assertThat(range(repository).statusCode()).isEqualTo(503);
      } else {
        flip(object, POSITION + 100);
        assertThat(range(repository).statusCode()).isEqualTo(500);
      }
      eventually("the artifact is suspect", () -> isSuspect(repository));
      assertThat(operator.put(repository, "firmware", firmware).statusCode()).isEqualTo(200);
      assertThat(isSuspect(repository)).isFalse();
      requireRange(repository);
      Files.deleteIfExists(object);
    }
  }

  private void requireRange(String repository) throws Exception {
    HttpResponse<byte[]> part = range(repository);
    assertThat(part.statusCode()).isEqualTo(206);
    assertThat(part.body())
        .isEqualTo(Arrays.copyOfRange(firmware, POSITION, POSITION + RANGE_LENGTH));
  }

  private HttpResponse<byte[]> range(String repository) throws Exception {
    return operator.download(
        "/artifacts/%s/firmware".formatted(repository),
        "Range",
        "bytes=%d-%d".formatted(POSITION, POSITION + RANGE_LENGTH - 1));
  }

  private boolean isSuspect(String repository) throws Exception {
    return operator
        .get("/api/v1/repositories/%s/artifacts/firmware".formatted(repository))
        .body()
        .contains("\"suspect\":true");
  }

  /** The file of the artifact's object; ciphertext is longer. */
  private Path object(String repository) throws IOException {
    try (Stream<Path> files = Files.walk(objects)) {
      return files
          .filter(file -> Files.isRegularFile(file) && isOf(repository, file))
          .findFirst()
          .orElseThrow();
    }
  }

  private static boolean isOf(String repository, Path file) {
    long length = file.toFile().length();
    return repository.equals("fleet") ? length == LENGTH : length > LENGTH;
  }

  private static void flip(Path object, long position) throws IOException {
    try (FileChannel channel =
        FileChannel.open(object, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, position);
      one.put(0, (byte) (one.get(0) ^ 1)).flip();
      channel.write(one, position);
    }
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * The main job on the packaged server: upload, download by ranges, restart, crash. The tests build
 * on each other, as the life of one data folder does.
 */
@ParameterizedClass(name = "{0}")
@Transports(
    value = Transport.HTTP1,
    nightly = {Transport.TLS12, Transport.H2})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FirmwareDeliveryIT {
  private static final int LENGTH = 70_000_003;
  private static final String DOWNLOAD = "/artifacts/fleet/board/fw-1.0.img";
  private static final String METADATA = "/api/v1/repositories/fleet/artifacts/board/fw-1.0.img";

  private final byte[] firmware = Bytes.random(LENGTH, 1);

  @Parameter private Transport transport;

  private Endpoint server;
  private Operator operator;

  @BeforeParameterizedClassInvocation(injectArguments = false)
  void start(@TempDir Path folder) throws Exception {
    server =
        Endpoint.start(
            transport,
            folder,
            "--artifact-server.retire.grace-period=2s",
            "--artifact-server.catalog.cache-ttl=2s",
            "--artifact-server.retire.sweep-interval=200ms");
    operator = server.operator();
  }

  @AfterParameterizedClassInvocation
  void stop() {
    if (server != null) {
      server.close();
      operator.close();
    }
  }

  @Test
  @Order(1)
  void operatorsTokenIsReadableByItsOwnerOnlyAndItsPlaceIsPrinted() throws IOException {
    Path file = server.server().dataFolder().resolve("operator-token");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(server.server().log())
        .contains(file.toString())
        .doesNotContain(server.operatorToken());
  }

  @Test
  @Order(2)
  void uploadIsTakenIn() throws Exception {
    assertThat(operator.createRepository("fleet", false).statusCode()).isEqualTo(201);
    HttpResponse<String> put =
        operator.put(
            "fleet",
            "board/fw-1.0.img",
            firmware,
            "Content-Type",
            "application/x-raw-disk-image",
            "Repr-Digest",
            "sha-256=:" + base64(DigestAlgorithm.SHA_256, firmware) + ":");
    assertThat(put.statusCode()).isEqualTo(201);
    assertThat(put.headers().firstValue("Location")).contains(METADATA);
    for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
      assertThat(put.body())
          .contains("\"%s\":\"%s\"".formatted(algorithm.id(), hex(algorithm, firmware)));
    }
    assertThat(put.body())
        .contains("\"length\":" + LENGTH)
        .contains("\"mediaType\":\"application/x-raw-disk-image\"");
    assertThat(operator.get(METADATA).body()).isEqualTo(put.body());
  }

  @Test
  @Order(3)
  void rangesAreByteExact() throws Exception {
    requireRangesAreByteExact();
  }

  @Test
  @Order(4)
  void sameBytesAgainAreNoConflictAndOtherBytesAre() throws Exception {
    assertThat(operator.put("fleet", "board/fw-1.0.img", firmware).statusCode()).isEqualTo(200);
    HttpResponse<String> conflict =
        operator.put("fleet", "board/fw-1.0.img", Bytes.random(1000, 2));
    assertThat(conflict.statusCode()).isEqualTo(409);
    assertThat(conflict.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(conflict.body()).contains("fleet/board/fw-1.0.img").contains("use another path");
    requireRangesAreByteExact();
  }

  @Test
  @Order(5)
  void equalContentIsStoredOnce() throws Exception {
    long before = blobs().size();
    assertThat(operator.put("fleet", "copy.img", firmware).statusCode()).isEqualTo(201);
    assertThat(blobs()).hasSize((int) before);
    assertThat(operator.delete("/api/v1/repositories/fleet/artifacts/copy.img").statusCode())
        .isEqualTo(204);
    assertThat(operator.download("/artifacts/fleet/copy.img").statusCode()).isEqualTo(410);
    requireRangesAreByteExact();
  }

  @Test
  @Order(6)
  void restartKeepsEverything() throws Exception {
    server.server().stop();
    assertThat(postgresProcesses()).isEmpty();
    server.server().restart();
    requireRangesAreByteExact();
  }

  @Test
  @Order(7)
  void killDuringAnUploadLeavesNothingBehind() throws Exception {
    List<Path> before = blobs();
    try (Wire wire = server.open()) {
      sendHead(wire, "PUT", "/api/v1/repositories/fleet/artifacts/broken.img", LENGTH);
      wire.sendBytes(firmware, 0, LENGTH / 2);
      awaitPartFile();
      server.server().kill();
    }
    server.server().restart();
    awaitNoPartFile();
    assertThat(blobs()).isEqualTo(before);
    assertThat(operator.get("/api/v1/repositories/fleet/artifacts/broken.img").statusCode())
        .isEqualTo(404);
    requireRangesAreByteExact();
  }

  @Test
  @Order(8)
  void killDuringADownloadLosesNothing() throws Exception {
    try (Wire wire = server.open()) {
      sendHead(wire, "GET", DOWNLOAD, 0);
      assertThat(wire.receive(false).status()).isEqualTo(200);
      InputStream body = wire.body();
      assertThat(body.readNBytes(1000)).isEqualTo(Arrays.copyOf(firmware, 1000));
      server.server().kill();
    }
    server.server().restart();
    requireRangesAreByteExact();
  }

  @Test
  @Order(9)
  void orphanedBlobIsSweptAtTheStart() throws Exception {
    server.server().stop();
    Path known = blobs().getFirst();
    String key = "0".repeat(32);
    Path shard = server.server().dataFolder().resolve("blobs").resolve("00").resolve("00");
    Files.createDirectories(shard);
    Path orphan = shard.resolve(key);
    Files.write(orphan, new byte[100]);
    server.server().restart();
    eventually("the orphan is swept", () -> !Files.exists(orphan));
    assertThat(known).exists();
    requireRangesAreByteExact();
  }

  @Test
  @Order(10)
  void interruptedUploadLeavesNothingBehind() throws Exception {
    List<Path> before = blobs();
    try (Wire wire = server.open()) {
      sendHead(wire, "PUT", "/api/v1/repositories/fleet/artifacts/broken.img", LENGTH);
      wire.sendBytes(firmware, 0, 5_000_000);
      awaitPartFile();
      wire.reset();
    }
    awaitNoPartFile();
    assertThat(blobs()).isEqualTo(before);
    assertThat(operator.get("/api/v1/repositories/fleet/artifacts/broken.img").statusCode())
        .isEqualTo(404);
  }

  @Test
  @Order(11)
  void wrongDigestIsRefusedAndLeavesNothingBehind() throws Exception {
    List<Path> before = blobs();
    HttpResponse<String> put =
        operator.put(
            "fleet",
            "wrong.img",
            Bytes.random(100_000, 3),
            "Repr-Digest",
            "sha-512=:" + base64(DigestAlgorithm.SHA_512, firmware) + ":");
    assertThat(put.statusCode()).isEqualTo(400);
    assertThat(put.body()).contains("Digest mismatch").contains("fleet/wrong.img");
    awaitNoPartFile();
    assertThat(blobs()).isEqualTo(before);
  }

  @Test
  @Order(12)
  void chunkedUploadOfUnknownLengthIsTakenIn() throws Exception {
    byte[] bytes = Bytes.random(1_234_567, 4);
    HttpResponse<String> put =
        operator.put(
            "fleet",
            "chunked.img",
            BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(bytes)));
    assertThat(put.statusCode()).isEqualTo(201);
    assertThat(operator.download("/artifacts/fleet/chunked.img").body()).isEqualTo(bytes);
  }

  @Test
  @Order(13)
  void emptyArtifactIsAnArtifact() throws Exception {
    assertThat(operator.put("fleet", "empty", new byte[0]).statusCode()).isEqualTo(201);
    HttpResponse<byte[]> get = operator.download("/artifacts/fleet/empty");
    assertThat(get.statusCode()).isEqualTo(200);
    assertThat(get.headers().firstValue("Content-Length")).contains("0");
    assertThat(operator.download("/artifacts/fleet/empty", "Range", "bytes=0-").statusCode())
        .isEqualTo(416);
  }

  @Test
  @Order(14)
  void warmDownloadsUseNoDatabaseConnection() throws Exception {
    operator.download(DOWNLOAD, "Range", "bytes=0-0");
    double transfers = operator.metric("artifact_server_transfer_seconds_count");
    // Sweeps use connections too, five times a second: a slow machine needs another try.
    eventuallyPasses(
        "warm downloads use no connection",
        () -> {
          double before = operator.metric("hikaricp_connections_usage_seconds_count");
          for (int i = 0; i < 200; i++) {
            operator.download(DOWNLOAD, "Range", "bytes=" + i + "-" + (i + 100));
          }
          assertThat(operator.metric("hikaricp_connections_usage_seconds_count"))
              .isLessThan(before + 100);
        });
    // A transfer is counted just after its last byte arrived.
    eventually(
        "all are counted",
        () -> operator.metric("artifact_server_transfer_seconds_count") >= transfers + 200);
  }

  @Test
  @Order(15)
  void deletedArtifactIsGoneAndItsBlobFollows() throws Exception {
    List<Path> before = blobs();
    assertThat(operator.delete(METADATA).statusCode()).isEqualTo(204);
    assertThat(operator.download(DOWNLOAD).statusCode()).isEqualTo(410);
    assertThat(operator.delete(METADATA).statusCode()).isEqualTo(410);
    eventually("the blob is deleted", () -> blobs().size() == before.size() - 1);
  }

  @Test
  @Order(16)
  void aSecondServerOnTheSameFolderIsRefused(@TempDir Path other) throws Exception {
    Path link = Files.createSymbolicLink(other.resolve("same"), server.server().dataFolder());
    assertThatThrownBy(() -> PackagedServer.start(link)).hasMessageContaining("uses");
  }

  private void requireRangesAreByteExact() throws Exception {
    HttpResponse<byte[]> whole = operator.download(DOWNLOAD);
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(Arrays.equals(whole.body(), firmware)).isTrue();
    requireRange(0, 0);
    requireRange(0, LENGTH - 1);
    requireRange(LENGTH - 1, LENGTH - 1);
    requireRange(60_000_000, LENGTH - 1);
    Random random = new Random(7);
    for (int i = 0; i < 50; i++) {
      int first = random.nextInt(LENGTH);
      requireRange(first, Math.min(LENGTH - 1, first + random.nextInt(2_000_000)));
    }
  }

  /** Micrometer's filter of the same name is asked dozens of times a request. */
  @Test
  @Order(17)
  void countsTheLogWithoutAFilterInFrontOfIt() throws Exception {
    assertThat(operator.get("/actuator/prometheus").body())
        .contains("# HELP logback_events_total Events that were logged\n");
  }

  private void requireRange(int first, int last) throws Exception {
    HttpResponse<byte[]> part = operator.download(DOWNLOAD, "Range", "bytes=" + first + "-" + last);
    assertThat(part.statusCode()).isEqualTo(206);
    assertThat(part.headers().firstValue("Content-Range"))
        .contains("bytes " + first + "-" + last + "/" + LENGTH);
    assertThat(Arrays.equals(part.body(), Arrays.copyOfRange(firmware, first, last + 1))).isTrue();
  }

  private void sendHead(Wire wire, String method, String path, int length) throws IOException {
    wire.send(
        "%s %s HTTP/1.1\r\nHost: device\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(method, path, server.operatorToken(), length));
  }

  private List<Path> blobs() throws IOException {
    return files("blobs");
  }

  private void awaitPartFile() throws Exception {
    eventually("the upload has begun", () -> !files("uploads").isEmpty());
  }

  private void awaitNoPartFile() throws Exception {
    eventually("the upload is gone", () -> files("uploads").isEmpty());
  }

  private List<Path> files(String folder) throws IOException {
    Path root = server.server().dataFolder().resolve(folder);
    if (!Files.exists(root)) {
      return List.of();
    }
    try (Stream<Path> tree = Files.walk(root)) {
      return tree.filter(Files::isRegularFile).sorted().toList();
    } catch (UncheckedIOException | NoSuchFileException e) {
      // One went meanwhile.
      return files(folder);
    }
  }

  /** The command lines of PostgreSQL servers on this data folder. */
  private List<String> postgresProcesses() {
    String folder = server.server().dataFolder().toString();
    return ProcessHandle.allProcesses()
        .map(process -> process.info().commandLine().orElse(""))
        .filter(line -> line.contains("postgres") && line.contains(folder))
        .toList();
  }

  private static String hex(DigestAlgorithm algorithm, byte[] bytes) {
    return HexFormat.of().formatHex(algorithm.newMessageDigest().digest(bytes));
  }

  private static String base64(DigestAlgorithm algorithm, byte[] bytes) {
    return Base64.getEncoder().encodeToString(algorithm.newMessageDigest().digest(bytes));
  }
}

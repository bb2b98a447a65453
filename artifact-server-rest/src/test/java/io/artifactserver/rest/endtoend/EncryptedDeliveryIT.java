package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** An encrypted repository of the packaged server, through restarts, kills and damage. */
class EncryptedDeliveryIT {
  private static final int LENGTH = 3_000_000;
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final String MARKER = "KNOWN-PLAINTEXT/";

  @TempDir private Path folder;

  @Test
  void deliversThroughRestartAndKillAndLeavesNoPlaintext() throws Exception {
    byte[] content = markedContent(1);
    try (PackagedServer server = PackagedServer.startNew(folder.resolve("data"));
        Operator operator = new Operator(server)) {
      assertThat(server.log()).contains("Made the key ring").contains("Back it up");
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(folder.resolve("data/keys.json"))))
          .isEqualTo("rw-------");
      assertThat(operator.createEncryptedRepository("vault").statusCode()).isEqualTo(201);
      assertThat(operator.put("vault", "firmware", content).statusCode()).isEqualTo(201);
      requireDelivered(operator, "/artifacts/vault/firmware", content);
      server.stop();
      server.restart();
      requireDelivered(operator, "/artifacts/vault/firmware", content);
      try (Wire wire = new Wire(server.port())) {
        // An upload that the kill interrupts.
        wire.send(
            "PUT /api/v1/repositories/vault/artifacts/half HTTP/1.1\r\nHost: a\r\n"
                + "Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
                    .formatted(server.operatorToken(), LENGTH));
        wire.sendBytes(content, 0, 2_000_000);
        awaitUpload();
        server.kill();
      }
      assertThat(filesWith(MARKER)).isEmpty();
      server.restart();
      requireDelivered(operator, "/artifacts/vault/firmware", content);
      assertThat(operator.put("vault", "wrong", content, "Repr-Digest", "md5=:AAAA:").statusCode())
          .isEqualTo(400);
      server.stop();
      assertThat(filesWith(MARKER)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "TLS13", "H2"})
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
      assertThat(operator.get("/actuator/prometheus").body())
          .contains("artifact_server_blob_corrupt_total 4.0");
      assertThat(operator.get("/actuator/health").body()).contains("\"suspectBlobs\":1");
      assertThat(server.server().log().split("Cut off or refused a download", -1)).hasSize(2);
    }
  }

  /** For everybody who shares them. A deletion before is not needed, and does no harm. */
  @ParameterizedTest
  @CsvSource({
    "plain, missing, false",
    "plain, short, true",
    "encrypted, missing, true",
    "encrypted, flipped, false"
  })
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
  @EnumSource(names = {"HTTP1", "TLS13", "H2"})
  void whatIsDownloadedAgainAndAgainIsDecryptedOnceAndNeverOnADisk(Transport transport)
      throws Exception {
    byte[] content = markedContent(5);
    try (Endpoint server =
            Endpoint.start(
                transport,
                folder,
                // Nothing by default where the system swaps.
                "--artifact-server.encryption.decrypted-cache-size=4MB",
                "--artifact-server.retire.grace-period=1s",
                "--artifact-server.retire.sweep-interval=1s",
                "--artifact-server.catalog.cache-ttl=0s");
        Operator operator = server.operator()) {
      operator.createEncryptedRepository("vault");
      operator.put("vault", "firmware", content);
      for (int i = 0; i < 3; i++) {
        requireDelivered(operator, "/artifacts/vault/firmware", content);
      }
      awaitMetric(operator, "artifact_server_encryption_decrypted_cache_bytes", LENGTH);
      String mapped = "artifact_server_transfer_seconds_count{ending=\"complete\",kind=\"mapped\"}";
      eventually(
          "the copy is served",
          () -> {
            requireDelivered(operator, "/artifacts/vault/firmware", content);
            return metric(operator, mapped) > 0;
          });
      long before = metric(operator, mapped);
      requireDelivered(operator, "/artifacts/vault/firmware", content);
      awaitMetric(operator, mapped, before + 7);
      assertThat(filesWith(MARKER)).isEmpty();
      assertThat(operator.delete("/api/v1/repositories/vault/artifacts/firmware").statusCode())
          .isEqualTo(204);
      awaitMetric(operator, "artifact_server_encryption_decrypted_cache_bytes", 0);
      assertThat(operator.download("/artifacts/vault/firmware").statusCode()).isEqualTo(410);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "TLS13", "H2"})
  void theRingIsRotatedWhileDevicesDownload(Transport transport) throws Exception {
    byte[] content = markedContent(3);
    try (Endpoint server = Endpoint.start(transport, folder);
        Operator operator = server.operator();
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      operator.createEncryptedRepository("vault");
      operator.put("vault", "firmware", content);
      byte[] ciphertext = Files.readAllBytes(onlyBlob());
      AtomicBoolean isOver = new AtomicBoolean();
      List<Future<Integer>> devices = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        int seed = i;
        devices.add(executor.submit(() -> downloadUntil(isOver, server, content, seed)));
      }
      String before = operator.get("/api/v1/encryption/keys").body();
      long retired = Long.parseLong(before.replaceAll("(?s).*\"id\":(\\d+).*", "$1"));
      assertThat(operator.json("POST", "/api/v1/encryption/keys", "").statusCode()).isEqualTo(201);
      assertThat(operator.delete("/api/v1/encryption/keys/" + retired).statusCode()).isEqualTo(409);
      eventually(
          "nothing needs the old key",
          () -> operator.delete("/api/v1/encryption/keys/" + retired).statusCode() == 204);
      isOver.set(true);
      for (Future<Integer> device : devices) {
        assertThat(device.get()).isPositive();
      }
      assertThat(Files.readAllBytes(onlyBlob())).isEqualTo(ciphertext);
      server.server().stop();
      server.server().restart();
      requireDelivered(operator, "/artifacts/vault/firmware", content);
    }
  }

  @Test
  void aMissingOrWrongRingStopsTheStart() throws Exception {
    Path data = folder.resolve("data");
    try (PackagedServer server = PackagedServer.start(data);
        Operator operator = new Operator(server)) {
      operator.createEncryptedRepository("vault");
      operator.put("vault", "firmware", markedContent(4));
    }
    Path keys = data.resolve("keys.json");
    Path backup = Files.move(keys, folder.resolve("backup.json"));
    requireRefused(data, "is missing, and 1 encrypted blobs need it", keys.toString());
    Files.writeString(keys, "{\"key\": \"SECRETSECRET\"}");
    requireRefused(data, "is not a key ring", keys.toString());
    requireRefused(
        data,
        "There is no key ring",
        "nowhere.json",
        "--artifact-server.encryption.key-file=" + folder.resolve("nowhere.json"));
    Files.delete(keys);
    try (PackagedServer other = PackagedServer.startNew(folder.resolve("other"))) {
      assertThat(other.pid()).isPositive();
    }
    Files.copy(folder.resolve("other/keys.json"), keys);
    requireRefused(data, "lacks the keys", keys.toString());
    Files.delete(keys);
    // The right one, elsewhere.
    try (PackagedServer server =
            PackagedServer.start(data, "--artifact-server.encryption.key-file=" + backup);
        Operator operator = new Operator(server)) {
      requireDelivered(operator, "/artifacts/vault/firmware", markedContent(4));
    }
    assertThat(keys).doesNotExist();
  }

  @Test
  void aPlainRepositoryIsEncryptedInTheBackgroundThroughAKill() throws Exception {
    int artifacts = 40;
    try (PackagedServer server =
            PackagedServer.start(
                folder.resolve("data"),
                "--artifact-server.retire.grace-period=1s",
                "--artifact-server.retire.sweep-interval=2s",
                "--artifact-server.catalog.cache-ttl=0s");
        Operator operator = new Operator(server)) {
      operator.createRepository("vault", true);
      operator.createRepository("open", true);
      for (int i = 0; i < artifacts; i++) {
        operator.put("vault", "a" + i, numbered(i));
      }
      operator.put("open", "shared", numbered(0));
      assertThat(filesWith(MARKER)).hasSize(artifacts);
      assertThat(operator.json("POST", "/api/v1/repositories/none/encryption", "").statusCode())
          .isEqualTo(404);
      HttpResponse<String> accepted =
          operator.json("POST", "/api/v1/repositories/vault/encryption", "");
      assertThat(accepted.statusCode()).isEqualTo(202);
      assertThat(accepted.body()).contains("\"total\":" + artifacts, "\"complete\":false");
      awaitProgress(operator, "\"done\":[1-9]");
      server.kill();
      server.restart();
      requireDelivered(operator, "/artifacts/vault/a7", numbered(7));
      awaitProgress(operator, "\"complete\":true");
      for (int i = 0; i < artifacts; i++) {
        assertThat(operator.download("/artifacts/vault/a" + i).body()).isEqualTo(numbered(i));
      }
      requireDelivered(operator, "/artifacts/open/shared", numbered(0));
      // All plain blobs go but the one that the plain repository has.
      eventually("the plain blobs are gone", () -> filesWith(MARKER).size() == 1);
      assertThat(operator.put("vault", "new", markedContent(99)).statusCode()).isEqualTo(201);
      assertThat(filesWith(MARKER)).hasSize(1);
    }
  }

  /** The first of every seven is long. */
  private static byte[] numbered(int number) {
    byte[] content = markedContent(100 + number);
    return number % 7 == 0 ? content : Arrays.copyOf(content, LENGTH / 10);
  }

  private static int downloadUntil(AtomicBoolean isOver, Endpoint server, byte[] content, int seed)
      throws IOException, InterruptedException {
    Random random = new Random(seed);
    int downloads = 0;
    try (Wire wire = server.open()) {
      while (!isOver.get() || downloads == 0) {
        int position = random.nextInt(LENGTH - 20_000);
        wire.send(
            "GET /artifacts/vault/firmware HTTP/1.1\r\nHost: a\r\nRange: bytes=%d-%d\r\n\r\n"
                .formatted(position, position + 19_999));
        assertThat(wire.receive(true).body())
            .isEqualTo(Arrays.copyOfRange(content, position, position + 20_000));
        downloads++;
        pause(PAUSE);
      }
    }
    return downloads;
  }

  private static void requireDelivered(Operator operator, String path, byte[] content)
      throws Exception {
    HttpResponse<byte[]> whole = operator.download(path);
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(whole.body()).isEqualTo(content);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
    assertThat(whole.headers().firstValue("ETag"))
        .contains('"' + HexFormat.of().formatHex(digest) + '"');
    int[][] ranges = {{0, 1}, {65_400, 300}, {1_000_001, 131_072}, {LENGTH - 1, 1}, {0, LENGTH}};
    for (int[] range : ranges) {
      HttpResponse<byte[]> part =
          operator.download(
              path, "Range", "bytes=%d-%d".formatted(range[0], range[0] + range[1] - 1));
      assertThat(part.statusCode()).isEqualTo(206);
      assertThat(part.body()).isEqualTo(Arrays.copyOfRange(content, range[0], range[0] + range[1]));
    }
    HttpResponse<byte[]> several =
        operator.download(path, "Range", "bytes=2000000-2200000,0-99,65463-65464,-5");
    assertThat(several.statusCode()).isEqualTo(206);
    requireParts(
        several,
        content,
        new int[][] {{2_000_000, 200_001}, {0, 100}, {65_463, 2}, {LENGTH - 5, 5}});
  }

  private static void requireParts(HttpResponse<byte[]> several, byte[] content, int[][] ranges) {
    String body = new String(several.body(), StandardCharsets.ISO_8859_1);
    int from = 0;
    for (int[] range : ranges) {
      Matcher header =
          Pattern.compile("Content-Range: bytes (\\d+)-(\\d+)/\\d+\r\n\r\n").matcher(body);
      assertThat(header.find(from)).isTrue();
      assertThat(Integer.parseInt(header.group(1))).isEqualTo(range[0]);
      assertThat(Arrays.copyOfRange(several.body(), header.end(), header.end() + range[1]))
          .isEqualTo(Arrays.copyOfRange(content, range[0], range[0] + range[1]));
      from = header.end() + range[1];
    }
    assertThat(several.headers().firstValue("Content-Length"))
        .contains(String.valueOf(several.body().length));
  }

  private static HttpResponse<byte[]> range(Operator operator, int position, int length)
      throws Exception {
    return operator.download(
        "/artifacts/vault/firmware",
        "Range",
        "bytes=%d-%d".formatted(position, position + length - 1));
  }

  private static void requireRefused(Path data, String words, String name, String... arguments) {
    assertThatIllegalStateException()
        .isThrownBy(() -> PackagedServer.start(data, arguments).close())
        .withMessageContaining("APPLICATION FAILED TO START")
        .satisfies(e -> {
          String log = String.valueOf(e.getMessage());
          String last = log.substring(log.lastIndexOf("APPLICATION FAILED TO START"));
          assertThat(last).contains(words, name).doesNotContain("SECRET", "\tat ");
        });
  }

  private static void awaitMetric(Operator operator, String name, long expected) throws Exception {
    eventually(name + " is " + expected, () -> metric(operator, name) == expected);
  }

  private static long metric(Operator operator, String name) throws Exception {
    return operator
        .get("/actuator/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + ' '))
        .map(line -> line.substring(name.length() + 1))
        .mapToLong(value -> (long) Double.parseDouble(value))
        .findFirst()
        .orElseThrow();
  }

  private static void awaitSuspect(Operator operator) throws Exception {
    String path = "/api/v1/repositories/vault/artifacts/firmware";
    eventually(
        "the artifact is suspect", () -> operator.get(path).body().contains("\"suspect\":true"));
  }

  private static void awaitProgress(Operator operator, String pattern) throws Exception {
    String path = "/api/v1/repositories/vault/encryption";
    eventually(
        "the progress matches " + pattern,
        () -> Pattern.compile(pattern).matcher(operator.get(path).body()).find());
  }

  private void awaitUpload() throws Exception {
    eventually("a million bytes are uploaded", () -> uploadedBytes() >= 1_000_000);
  }

  private long uploadedBytes() throws IOException {
    try (Stream<Path> parts = Files.list(folder.resolve("data/uploads"))) {
      long length = 0;
      for (Path part : parts.toList()) {
        length += Files.size(part);
      }
      return length;
    }
  }

  private Path onlyBlob() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("data/blobs"))) {
      List<Path> blobs = files.filter(Files::isRegularFile).toList();
      assertThat(blobs).hasSize(1);
      return blobs.getFirst();
    }
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

  /** All files of the data folder, temporary ones and the database's included. */
  private List<Path> filesWith(String marker) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.toString().contains("postgres-binaries")
            && new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(marker)) {
          found.add(file);
        }
      }
    } catch (UncheckedIOException e) {
      // A file that went meanwhile; the caller asks again or after a stop.
      return filesWith(marker);
    } catch (NoSuchFileException e) {
      return filesWith(marker);
    }
    return found;
  }

  /** Random bytes with the marker every now and then, so that every segment has it. */
  private static byte[] markedContent(long seed) {
    byte[] content = Bytes.random(LENGTH, seed);
    byte[] marker = MARKER.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i + marker.length < content.length; i += 1000) {
      System.arraycopy(marker, 0, content, i, marker.length);
    }
    return content;
  }
}

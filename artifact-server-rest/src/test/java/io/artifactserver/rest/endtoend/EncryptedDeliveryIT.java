package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.settled;
import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** An encrypted repository of the packaged server, through restarts and kills. */
@InTurn(0)
class EncryptedDeliveryIT extends EncryptedFixture {
  private static final String CACHED = "artifact_server_encryption_decrypted_cache_bytes";
  private static final String TRANSFERS = "artifact_server_transfer_seconds_count";
  private static final String MAPPED = "ending=\"complete\",kind=\"mapped\"";
  private static final Duration PAUSE = Duration.ofMillis(20);

  @Test
  void deliversThroughRestartAndKillAndLeavesNoPlaintext() throws Exception {
    byte[] content = markedContent(1);
    try (PackagedServer server =
            PackagedServer.startNew(folder.resolve("data"), PackagedServer.CIPHERS_COMPILED_WELL);
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
  @Transports(
      value = Transport.HTTP1,
      nightly = {Transport.TLS13, Transport.H2})
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
      awaitMetric(operator, LENGTH, CACHED);
      eventually(
          "the copy is served",
          () -> {
            requireDelivered(operator, "/artifacts/vault/firmware", content);
            return operator.metric(TRANSFERS, MAPPED) > 0;
          });
      // A transfer is counted just after its last byte arrived.
      long before =
          (long)
              settled(
                      "the transfers",
                      Duration.ofMillis(250),
                      () -> operator.metric(TRANSFERS, MAPPED))
                  .doubleValue();
      requireDelivered(operator, "/artifacts/vault/firmware", content);
      awaitMetric(operator, before + 7, TRANSFERS, MAPPED);
      assertThat(filesWith(MARKER)).isEmpty();
      assertThat(operator.delete("/api/v1/repositories/vault/artifacts/firmware").statusCode())
          .isEqualTo(204);
      awaitMetric(operator, 0, CACHED);
      assertThat(operator.download("/artifacts/vault/firmware").statusCode()).isEqualTo(410);
    }
  }

  @ParameterizedTest
  @Transports(
      value = Transport.H2,
      nightly = {Transport.HTTP1, Transport.TLS13})
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
  @Nightly("KeyRingAtTheStartTest has each ring that stops a start.")
  void aMissingRingStopsTheStart() throws Exception {
    Path data = folder.resolve("data");
    try (PackagedServer server = PackagedServer.start(data);
        Operator operator = new Operator(server)) {
      operator.createEncryptedRepository("vault");
      operator.put("vault", "firmware", markedContent(4));
    }
    Path keys = data.resolve("keys.json");
    Path backup = Files.move(keys, folder.resolve("backup.json"));
    requireRefused(
        data, "is missing, and 1 encrypted blobs and secrets of webhooks need it", keys.toString());
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
                PackagedServer.CIPHERS_COMPILED_WELL,
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

  private static void requireRefused(Path data, String words, String name) {
    assertThatIllegalStateException()
        .isThrownBy(() -> PackagedServer.start(data).close())
        .withMessageContaining("APPLICATION FAILED TO START")
        .satisfies(e -> {
          String log = String.valueOf(e.getMessage());
          String last = log.substring(log.lastIndexOf("APPLICATION FAILED TO START"));
          assertThat(last).contains(words, name).doesNotContain("\tat ");
        });
  }

  private static void awaitMetric(Operator operator, long expected, String name, String... labels)
      throws Exception {
    eventually(name + " is " + expected, () -> operator.metric(name, labels) == expected);
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
}

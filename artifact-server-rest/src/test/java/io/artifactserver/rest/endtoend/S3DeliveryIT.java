package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
 * The packaged server with its blobs in a bucket of another process, through a proxy that writes
 * down what is asked. The tests build on each other.
 */
@ParameterizedClass(name = "{0}")
@Transports(value = Transport.HTTP1, nightly = Transport.H2)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class S3DeliveryIT {
  private static final int LENGTH = 20_000_003;
  private static final int CHUNK = 1 << 20;
  private static final int WINDOW = 4;

  /** The length that is encrypted, and has a checksum, as one. */
  private static final int SEGMENT = 64 * 1024;

  private static final String PLAIN = "/artifacts/fleet/firmware";
  private static final String ENCRYPTED = "/artifacts/vault/firmware";

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
            "--artifact-server.storage.s3.region=us-east-1",
            "--artifact-server.storage.s3.bucket=firmware",
            "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
            "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
            "--artifact-server.storage.s3.path-style=true",
            "--artifact-server.storage.s3.create-bucket=true",
            "--artifact-server.storage.s3.chunk-size=1MB",
            "--artifact-server.storage.s3.window=" + WINDOW,
            "--artifact-server.storage.s3.part-size=5MB",
            "--artifact-server.storage.s3.read-timeout=5s",
            // Else what was downloaded twice is served though the bucket is dead.
            "--artifact-server.encryption.decrypted-cache-size=0");
    operator = server.operator();
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
  @Order(1)
  void anUploadGoesToTheBucketInPartsAndNothingToTheDisk() throws Exception {
    operator.createRepository("fleet", true);
    operator.createEncryptedRepository("vault");
    proxy.reset();
    assertThat(operator.put("fleet", "firmware", firmware).statusCode()).isEqualTo(201);
    assertThat(
            proxy.requests("PUT").stream()
                .filter(request -> request.target().contains("partNumber=")))
        .hasSize(4);
    assertThat(operator.put("vault", "firmware", firmware).statusCode()).isEqualTo(201);
    assertThat(server.server().dataFolder().resolve("blobs")).doesNotExist();
    assertThat(server.server().log())
        .contains("Blobs are kept in bucket firmware")
        .doesNotContain(S3ProxyServer.SECRET_KEY);
    assertThat(operator.get("/actuator/health").body()).contains("\"backend\":\"s3\"");
  }

  @Test
  @Order(2)
  void deliversWholesAndRanges() throws Exception {
    for (String address : List.of(PLAIN, ENCRYPTED)) {
      requireWhole(address);
      for (long[] range :
          new long[][] {
            {0, 4}, {1, 1}, {CHUNK - 1, 2}, {5_000_000, CHUNK}, {7, 9_000_000}, {LENGTH - 9, 9}
          }) {
        requireRange(address, (int) range[0], (int) range[1]);
      }
      HttpResponse<byte[]> resumed =
          operator.download(address, "Range", "bytes=%d-".formatted(LENGTH - 3_000_000));
      assertThat(resumed.statusCode()).isEqualTo(206);
      assertThat(resumed.body())
          .isEqualTo(Arrays.copyOfRange(firmware, LENGTH - 3_000_000, LENGTH));
    }
  }

  @Test
  @Order(3)
  void aRangeUpToAChunkIsOneRequestToTheBucket() throws Exception {
    proxy.reset();
    // Whole blocks are read, so that their checksums can be compared.
    int position = 92 * 64 * 1024;
    requireRange(PLAIN, position, CHUNK);
    assertThat(reads()).hasSize(1);
    assertThat(reads().getFirst().field("Range"))
        .contains("bytes=%d-%d".formatted(position, position + CHUNK - 1));
    proxy.reset();
    requireRange(PLAIN, position + 100, 200);
    assertThat(reads()).hasSize(1);
    assertThat(reads().getFirst().field("Range"))
        .contains("bytes=%d-%d".formatted(position, position + 64 * 1024 - 1));
    proxy.reset();
    requireWhole(PLAIN);
    assertThat(reads()).hasSize((LENGTH + CHUNK - 1) / CHUNK);
    assertThat(proxy.bodyBytes()).isEqualTo(LENGTH);
    assertThat(proxy.peakInFlight()).isLessThanOrEqualTo(WINDOW);
  }

  @Test
  @Order(4)
  void deliversSeveralRangesInOneBody() throws Exception {
    int[] positions = {3_000_000, 100, 12_345_678};
    for (String address : List.of(PLAIN, ENCRYPTED)) {
      HttpResponse<byte[]> answer =
          operator.download(address, "Range", "bytes=3000000-3000999,100-1099,12345678-12346677");
      assertThat(answer.statusCode()).isEqualTo(206);
      String type = answer.headers().firstValue("Content-Type").orElseThrow();
      Matcher boundary = Pattern.compile("multipart/byteranges; boundary=(.+)").matcher(type);
      assertThat(boundary.matches()).isTrue();
      String body = new String(answer.body(), StandardCharsets.ISO_8859_1);
      String[] parts = body.split(Pattern.quote("--" + boundary.group(1)));
      for (int i = 0; i < positions.length; i++) {
        String part = parts[i + 1];
        assertThat(part)
            .contains("bytes %d-%d/%d".formatted(positions[i], positions[i] + 999, LENGTH));
        String bytes = part.substring(part.indexOf("\r\n\r\n") + 4, part.length() - 2);
        assertThat(bytes.getBytes(StandardCharsets.ISO_8859_1))
            .isEqualTo(Arrays.copyOfRange(firmware, positions[i], positions[i] + 1000));
      }
    }
  }

  /** Ten places of an image changed, and between most chunks of a place nothing is known. */
  @Test
  @Order(4)
  void anUpdateOfTwoHundredRangesIsAFewReadsOfTheBucket() throws Exception {
    Random random = new Random(4);
    List<String> ranges = new ArrayList<>();
    BitSet segments = new BitSet();
    for (int place = 0; place < 10; place++) {
      int position = place * 2_000_000 + random.nextInt(500_000);
      for (int i = 0; i < 20; i++) {
        int length = 10_000 + random.nextInt(40_000);
        ranges.add(position + "-" + (position + length - 1));
        segments.set(position / SEGMENT, (position + length - 1) / SEGMENT + 1);
        position += length + (random.nextInt(3) == 0 ? random.nextInt(10_000) : 0);
      }
    }
    long covered = (long) segments.cardinality() * SEGMENT;
    for (String address : List.of(PLAIN, ENCRYPTED)) {
      proxy.reset();
      HttpResponse<byte[]> answer =
          operator.download(address, "Range", "bytes=" + String.join(",", ranges));
      assertThat(answer.statusCode()).isEqualTo(206);
      assertThat(answer.body()).hasSizeGreaterThan(5_000_000);
      assertThat((double) proxy.bodyBytes()).isLessThanOrEqualTo(1.2 * covered);
      assertThat(proxy.requests("GET")).hasSizeLessThanOrEqualTo((int) (covered / CHUNK) + 16);
    }
  }

  @Test
  @Order(5)
  void aRepositoryThatRedirectsSendsDevicesToTheBucket() throws Exception {
    assertThat(
            operator
                .json("PATCH", "/api/v1/repositories/fleet", "{\"redirect\": true}")
                .statusCode())
        .isEqualTo(200);
    try {
      HttpResponse<byte[]> answer = operator.downloadAsNobody(PLAIN);
      assertThat(answer.statusCode()).isEqualTo(302);
      URI location = URI.create(answer.headers().firstValue("Location").orElseThrow());
      assertThat(location.getPort()).isEqualTo(proxy.endpoint().getPort());
      assertThat(location.toURL().openStream().readAllBytes()).isEqualTo(firmware);
    } finally {
      operator.json("PATCH", "/api/v1/repositories/fleet", "{\"redirect\": false}");
    }
    requireWhole(PLAIN);
  }

  @Test
  @Order(6)
  void aServerThatDiesAndReturnsLosesNothing() throws Exception {
    server.server().kill();
    server.server().restart();
    requireWhole(PLAIN);
    requireWhole(ENCRYPTED);
    requireRange(ENCRYPTED, 4_000_000, 2_000_000);
  }

  @Test
  @Order(7)
  void aDownloadSurvivesConnectionsThatBreak() throws Exception {
    proxy.plan(6, request -> request.method().equals("GET"), new FaultProxy.Fault.Reset(200_000));
    proxy.plan(
        2, request -> request.method().equals("GET"), new FaultProxy.Fault.Refuse(503, "SlowDown"));
    requireWhole(PLAIN);
    proxy.plan(4, request -> request.method().equals("GET"), new FaultProxy.Fault.Truncate(99));
    requireWhole(ENCRYPTED);
    proxy.recover();
  }

  @Test
  @Order(8)
  void aBucketThatDiesIsA503OrACutAndNeverAWrongOrShortBody() throws Exception {
    for (String address : List.of(PLAIN, ENCRYPTED)) {
      CountDownLatch latch = new CountDownLatch(1);
      // The middle of the object comes only when the bucket is dead.
      proxy.plan(
          Integer.MAX_VALUE,
          request -> request.field("Range").filter(r -> firstByte(r) > LENGTH / 2).isPresent(),
          new FaultProxy.Fault.Hold(latch));
      try (Wire wire = server.open()) {
        wire.send("GET %s HTTP/1.1\r\nHost: a\r\n\r\n".formatted(address));
        Wire.Response response = wire.receive(false);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.field("Content-Length")).contains(String.valueOf(LENGTH));
        byte[] begin = wire.body().readNBytes(1000);
        s3.kill();
        latch.countDown();
        byte[] rest = wire.rest();
        byte[] body = Arrays.copyOf(begin, begin.length + rest.length);
        System.arraycopy(rest, 0, body, begin.length, rest.length);
        assertThat(body.length).isLessThan(LENGTH);
        assertThat(body).isEqualTo(Arrays.copyOf(firmware, body.length));
      }
      proxy.recover();
      for (int i = 0; i < 5; i++) {
        HttpResponse<byte[]> refused = operator.download(address, "Range", "bytes=0-999");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(new String(refused.body(), StandardCharsets.UTF_8))
            .contains("Storage unavailable");
      }
      HttpResponse<String> upload = operator.put("fleet", "while-away", new byte[1000]);
      assertThat(upload.statusCode()).isEqualTo(503);
      assertThat(operator.get("/actuator/health").statusCode()).isEqualTo(503);
      s3.restart();
      awaitServed(address);
      requireWhole(address);
    }
    eventually("it is healthy", () -> operator.get("/actuator/health").statusCode() == 200);
    assertThat(operator.put("fleet", "afterwards", new byte[1000]).statusCode()).isEqualTo(201);
  }

  @Test
  @Order(9)
  void aMissingBucketStopsTheStart(@TempDir Path folder) throws Exception {
    Path data = folder.resolve("data");
    String refusal = "started";
    try (PackagedServer other =
        PackagedServer.start(
            data,
            "--artifact-server.storage.backend=s3",
            "--artifact-server.storage.s3.endpoint=" + s3.endpoint(),
            "--artifact-server.storage.s3.bucket=nowhere",
            "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
            "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
            "--artifact-server.storage.s3.path-style=true")) {
      assertThat(other.pid()).isPositive();
    } catch (IllegalStateException e) {
      refusal = String.valueOf(e.getMessage());
    }
    assertThat(refusal)
        .contains("There is no bucket \"nowhere\"", "create-bucket=true")
        .doesNotContain(S3ProxyServer.SECRET_KEY)
        .doesNotContain("at io.artifactserver");
  }

  @Test
  @Order(10)
  void anotherInstallationMayNotHaveThePrefix(@TempDir Path folder) throws Exception {
    String refusal = "started";
    try (PackagedServer other =
        PackagedServer.startNew(
            folder.resolve("data"),
            "--artifact-server.storage.backend=s3",
            "--artifact-server.storage.s3.endpoint=" + s3.endpoint(),
            "--artifact-server.storage.s3.bucket=firmware",
            "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
            "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
            "--artifact-server.storage.s3.path-style=true")) {
      assertThat(other.pid()).isPositive();
    } catch (IllegalStateException e) {
      refusal = String.valueOf(e.getMessage());
    }
    assertThat(refusal)
        .contains("belongs to the catalog of installation", "artifact-server.storage.s3.prefix");
    requireWhole(PLAIN);
    assertThat(Files.exists(objects)).isTrue();
  }

  /** Requests for bytes of objects: the server's jobs list the bucket now and then. */
  private List<FaultProxy.Request> reads() {
    return proxy.requests("GET").stream()
        .filter(request -> request.field("Range").isPresent())
        .toList();
  }

  private void requireWhole(String address) throws Exception {
    HttpResponse<byte[]> whole = operator.download(address);
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(Arrays.mismatch(whole.body(), firmware)).isEqualTo(-1);
  }

  private void requireRange(String address, int position, int length) throws Exception {
    HttpResponse<byte[]> part =
        operator.download(
            address, "Range", "bytes=%d-%d".formatted(position, position + length - 1));
    assertThat(part.statusCode()).isEqualTo(206);
    assertThat(part.headers().firstValue("Content-Range"))
        .contains("bytes %d-%d/%d".formatted(position, position + length - 1, LENGTH));
    assertThat(part.body()).isEqualTo(Arrays.copyOfRange(firmware, position, position + length));
  }

  private void awaitServed(String address) throws Exception {
    eventually(
        address + " is served",
        () -> operator.download(address, "Range", "bytes=0-9").statusCode() == 206);
  }

  private static long firstByte(String range) {
    return Long.parseLong(range.substring("bytes=".length(), range.indexOf('-')));
  }
}

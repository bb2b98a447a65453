package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One upload by tus, interrupted at random points. The client counts each byte that it gives to its
 * socket. {@code -Dinterrupt.seed} repeats a run as far as the machine does, {@code
 * -Dinterrupt.backends} names the backends.
 */
@InTurn(5)
class InterruptedUploadIT {
  private static final long SEED = Long.getLong("interrupt.seed", System.nanoTime());
  private static final long LENGTH = Nightly.IS_NOW ? 1_000_000_000 : 24_000_000;
  private static final int POINTS = Nightly.IS_NOW ? 20 : Interruption.values().length;

  /** Bytes for each interruption: 20 times as many are a hundredth of 1 GB. */
  private static final long MOST_REPEATED = 500_000;

  /** The rate of the client's link, in bytes a second: a faster one seldom breaks. */
  private static final long RATE = 16_000_000;

  private static final int PIECE = 64 << 10;
  private static final int BLOCK = 1 << 20;

  private static final byte[] NOISE = Bytes.random(BLOCK, SEED);

  @TempDir private Path folder;

  private final Random random = new Random(SEED);

  enum Backend {
    FILE,
    ENCRYPTED,
    S3
  }

  private enum Interruption {
    CUT,
    FROZEN,
    SERVER_KILLED,
    DATABASE_KILLED,
    RESTARTED
  }

  static Stream<Backend> backends() {
    return Drawn.from(
            Stream.of(Backend.values()).map(Backend::name).toList(), "interrupt.backends", SEED)
        .map(Backend::valueOf);
  }

  @ParameterizedTest
  @MethodSource("backends")
  void anUploadThatIsInterruptedGoesOnWhereItWas(Backend backend) throws Exception {
    System.out.printf("InterruptedUploadIT: %s, -Dinterrupt.seed=%d%n", backend, SEED);
    try (S3ProxyServer s3 = S3ProxyServer.start(folder.resolve("s3"));
        PackagedServer server =
            PackagedServer.start(folder.resolve("data"), arguments(backend, s3));
        Operator operator = new Operator(server);
        TusClient client = new TusClient(server, server.operatorToken())) {
      if (backend == Backend.ENCRYPTED) {
        operator.createEncryptedRepository("target");
      } else {
        operator.createRepository("target", true);
      }
      String upload = client.begin("target", "interrupted", LENGTH);
      long position = 0;
      long repeated = 0;
      List<Interruption> interruptions = interruptions();
      List<Long> points = random.longs(POINTS, 1, LENGTH).sorted().boxed().toList();
      for (int i = 0; i < POINTS; i++) {
        Interruption interruption = interruptions.get(i);
        long end = Math.max(points.get(i), position);
        long sent = interrupt(interruption, server, upload, position, end);
        long offset = offset(server, upload);
        awaitWrites(operator, i);
        System.out.printf(
            "InterruptedUploadIT: %s at %d, goes on at %d, repeats %d%n",
            interruption, sent, offset, sent - offset);
        assertThat(offset).isBetween(position, sent);
        repeated += sent - offset;
        position = offset;
      }
      try (Wire wire = new Wire(socket(server.port()))) {
        send(wire, server, upload, position, LENGTH);
        assertThat(wire.receive(true).status()).isEqualTo(204);
      }
      System.out.printf(
          "InterruptedUploadIT: %s, %d of %d bytes twice%n", backend, repeated, LENGTH);
      assertThat(repeated).as("bytes sent twice").isLessThanOrEqualTo(POINTS * MOST_REPEATED);
      assertThat(digestOf(server)).isEqualTo(digestOfContent());
      assertThat(operator.get(TusClient.PATH).body()).contains("\"uploads\":[]");
      requireNothingLeft(server, folder.resolve("s3"));
    }
  }

  /** Ends a request for bytes, and what else the interruption ends; returns where it ended. */
  private static long interrupt(
      Interruption interruption, PackagedServer server, String upload, long position, long end)
      throws Exception {
    if (interruption == Interruption.FROZEN) {
      return freeze(server, upload, position, end);
    }
    try (Wire wire = new Wire(socket(server.port()))) {
      send(wire, server, upload, position, end);
      awaitRead(server.port());
      switch (interruption) {
        case CUT -> wire.reset();
        case SERVER_KILLED -> server.kill();
        case DATABASE_KILLED -> {
          DurabilityIT.kill(DurabilityIT.postmaster(server.dataFolder()));
          wire.reset();
        }
        case RESTARTED -> server.stop();
        case FROZEN -> throw new IllegalStateException("Done above");
      }
    }
    if (interruption == Interruption.SERVER_KILLED || interruption == Interruption.RESTARTED) {
      server.restart();
    }
    return end;
  }

  /** Bytes behind the point are under way when packets are dropped. */
  private static long freeze(PackagedServer server, String upload, long position, long end)
      throws Exception {
    long sent = Math.min(end + PIECE, LENGTH);
    try (FaultProxy proxy = FaultProxy.start(server.port())) {
      proxy.plan(
          1,
          request -> request.method().equals("PATCH"),
          new FaultProxy.Fault.StallUpload((int) (end - position)));
      try (Wire wire = new Wire(socket(proxy.endpoint().getPort()));
          TusClient other = new TusClient(server, server.operatorToken())) {
        send(wire, server, upload, position, sent);
        awaitRead(server.port());
        // The older request is open still.
        assertThat(other.offset(upload)).isBetween(position, end);
      }
    }
    return sent;
  }

  private static void send(Wire wire, PackagedServer server, String upload, long position, long end)
      throws Exception {
    wire.send(
        "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\n"
                .formatted(upload, server.operatorToken())
            + "Upload-Offset: %d\r\nContent-Type: application/offset+octet-stream\r\n"
                .formatted(position)
            + "Content-Length: %d\r\n\r\n".formatted(LENGTH - position));
    long begin = System.nanoTime();
    for (long at = position; at < end; ) {
      int inBlock = (int) (at % BLOCK);
      int length = (int) Math.min(Math.min(PIECE, BLOCK - inBlock), end - at);
      wire.sendBytes(block(at / BLOCK), inBlock, length);
      at += length;
      long early = (at - position) * 1_000_000_000 / RATE - (System.nanoTime() - begin);
      if (early > 1_000_000) {
        pause(Duration.ofNanos(early));
      }
    }
  }

  /** A connection that breaks takes with it what waits in its sockets, whatever the server does. */
  private static void awaitRead(int port) {
    eventually("the server has read what was sent", () -> SendQueue.allOf(port) == 0);
  }

  /** A small buffer: what waits in it counts as sent. */
  private static Socket socket(int port) throws IOException {
    Socket socket = new Socket();
    socket.setSendBufferSize(PIECE);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return socket;
  }

  /** The database may be on its way back. */
  private static long offset(PackagedServer server, String upload) throws Exception {
    long[] offset = {-1};
    try (TusClient client = new TusClient(server, server.operatorToken())) {
      eventually(
          "the upload's offset is told",
          () -> {
            offset[0] = client.offset(upload);
            return offset[0] >= 0;
          });
    }
    return offset[0];
  }

  /**
   * An offset is told before the database is written to again. Other clients are refused until
   * then, and come again; this one looks at no answer.
   */
  private static void awaitWrites(Operator operator, int number) {
    eventually(
        "the database is written to",
        () -> operator.createRepository("written-" + number, true).statusCode() == 201);
  }

  private List<Interruption> interruptions() {
    List<Interruption> all = new ArrayList<>();
    for (int i = 0; i < POINTS; i++) {
      all.add(Interruption.values()[i % Interruption.values().length]);
    }
    Collections.shuffle(all, random);
    return all;
  }

  private static String[] arguments(Backend backend, S3ProxyServer s3) {
    List<String> arguments = new ArrayList<>(List.of(PackagedServer.CIPHERS_COMPILED_WELL));
    if (backend == Backend.S3) {
      arguments.addAll(
          List.of(
              "--artifact-server.storage.backend=s3",
              "--artifact-server.storage.s3.endpoint=" + s3.endpoint(),
              "--artifact-server.storage.s3.region=us-east-1",
              "--artifact-server.storage.s3.bucket=firmware",
              "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
              "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
              "--artifact-server.storage.s3.path-style=true",
              "--artifact-server.storage.s3.create-bucket=true",
              "--artifact-server.storage.s3.part-size=5MB"));
    }
    return arguments.toArray(String[]::new);
  }

  private static byte[] block(long number) {
    byte[] block = NOISE.clone();
    ByteBuffer.wrap(block).putLong(number);
    return block;
  }

  private static String digestOfContent() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (long at = 0; at < LENGTH; at += BLOCK) {
      digest.update(block(at / BLOCK), 0, (int) Math.min(BLOCK, LENGTH - at));
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** The digest of the bytes that a client downloads. */
  private static String digestOf(PackagedServer server) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(server.uri("/artifacts/target/interrupted"))
              .header("Authorization", "Bearer " + server.operatorToken())
              .build();
      var answer = http.send(request, BodyHandlers.ofInputStream());
      assertThat(answer.statusCode()).isEqualTo(200);
      try (var body = answer.body()) {
        byte[] buffer = new byte[BLOCK];
        for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
          digest.update(buffer, 0, n);
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** There is one blob, which is the artifact's. */
  private static void requireNothingLeft(PackagedServer server, Path s3) throws IOException {
    List<Path> found = new ArrayList<>();
    // Files of the database come and go.
    Path data = server.dataFolder();
    for (Path each : List.of(data.resolve("blobs"), data.resolve("uploads"), s3)) {
      if (Files.exists(each)) {
        try (Stream<Path> files = Files.walk(each)) {
          files.filter(Files::isRegularFile).forEach(found::add);
        }
      }
    }
    assertThat(found)
        .filteredOn(file -> file.toString().matches(".*/(blobs|uploads)/.*"))
        .hasSize(1);
  }
}

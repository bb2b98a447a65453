package io.artifactserver.benchmarks.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link ChunkLoad} against a server of files, which may send a wrong byte. */
class ChunkLoadTest {
  private static final int IMAGE_LENGTH = 2_000_000;
  private static final Content.Stamped FILE = Content.Stamped.of(300_001, 7);
  private static final Duration PATIENT = Duration.ofMinutes(2);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpServer server;
  private Path www;
  private ChunkStore store;
  private boolean isWrong;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    www = Files.createDirectories(folder.resolve("www"));
    FILE.writeTo(www.resolve("file"));
    store = ChunkStore.make(www, 1, IMAGE_LENGTH);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  @Test
  void theStoreHasTheImage() throws IOException {
    byte[] image = Files.readAllBytes(www.resolve("chunks/image"));
    assertEquals(IMAGE_LENGTH, image.length);
    ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    for (ChunkStore.Chunk chunk : store.chunks()) {
      byte[] framed = Files.readAllBytes(www.resolve(chunk.path()));
      assertEquals(chunk.span().length(), framed.length);
      unframe(framed, chunks);
    }
    assertArrayEquals(image, chunks.toByteArray());
  }

  @Test
  void countsChunksAndMeasuresRangesBeside() {
    Duration duration = Duration.ofMillis(400);
    Round round;
    do {
      round = run(duration);
      duration = duration.multipliedBy(2);
    } while ((round.requests() == 0 || rangesP99(round) == 0) && duration.compareTo(PATIENT) < 0);
    assertEquals("{}", round.failures().toString());
    assertTrue(round.requests() > 0);
    assertTrue(rangesP99(round) > 0);
  }

  @Test
  void aWrongByteEndsTheRun() {
    isWrong = true;
    assertThrows(WrongBytesException.class, () -> run(PATIENT));
  }

  private Round run(Duration duration) {
    URI file = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/file");
    return new ChunkLoad(store)
        .run(
            new Target(file, ""),
            ServerProbe.UNKNOWN,
            new RoundSettings(FILE, 1, 1, duration, PATIENT, 1, 0, Optional.empty()));
  }

  private static double rangesP99(Round round) {
    return round.more().getOrDefault(ChunkLoad.RANGES_P99, 0.0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] bytes =
          Files.readAllBytes(www.resolve(exchange.getRequestURI().getPath().substring(1)));
      String range = exchange.getRequestHeaders().getFirst("Range");
      int status = 200;
      byte[] body = bytes;
      if (range != null) {
        String[] ends = range.substring("bytes=".length()).split("-");
        int last = Integer.parseInt(ends[1]);
        status = 206;
        body = Arrays.copyOfRange(bytes, Integer.parseInt(ends[0]), last + 1);
        exchange
            .getResponseHeaders()
            .set("Content-Range", "bytes %s-%d/%d".formatted(ends[0], last, bytes.length));
      } else if (isWrong) {
        body[body.length - 1]++;
      }
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** Blocks as they are: RFC 8878, section 3.1.1.2. */
  private static void unframe(byte[] framed, ByteArrayOutputStream out) {
    int at = 9;
    boolean isLast = false;
    while (!isLast) {
      int head = (framed[at] & 0xff) | (framed[at + 1] & 0xff) << 8 | (framed[at + 2] & 0xff) << 16;
      isLast = (head & 1) == 1;
      out.write(framed, at + 3, head >> 3);
      at += 3 + (head >> 3);
    }
    assertEquals(framed.length, at);
  }
}

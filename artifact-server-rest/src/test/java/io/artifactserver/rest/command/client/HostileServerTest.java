package io.artifactserver.rest.command.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** A server that lies, and one that wants to speak to the terminal. */
@Timeout(120)
class HostileServerTest extends ClientFixture {
  @ParameterizedTest
  @ValueSource(longs = {1L << 50, 1L << 62, Long.MAX_VALUE})
  void aSizeBeyondAllDisksTakesNoMemory(long length) {
    server.replace(
        "HEAD",
        0,
        exchange -> {
          exchange.getResponseHeaders().set("Repr-Digest", FakeServer.reprDigest(new byte[0]));
          exchange.getResponseHeaders().set("ETag", "\"tag\"");
          exchange.getResponseHeaders().set("Content-Length", String.valueOf(length));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.replace("GET", 0, FakeServer.problem(403, "enough"));
    Run run = pull("boards/a.img", "-o", folder.resolve("a.img"));
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.errors()).contains("enough");
  }

  @Test
  void anIndexWithoutAnEndIsNotRead() throws IOException {
    byte[] content = new byte[2_000_000];
    server.artifacts.put("boards/a.img", content);
    AtomicLong sent = new AtomicLong();
    server.replace("GET /artifacts/boards/a.img.caibx", 0, endless(sent));
    Path seed = Files.write(folder.resolve("seed"), new byte[1000]);
    Run run = pull("boards/a.img", "-o", folder.resolve("a.img"), "--seed", seed);
    assertThat(run.status()).as(run.errors()).isZero();
    assertThat(run.errors()).contains("has no chunks");
    assertThat(folder.resolve("a.img")).hasBinaryContent(content);
    // Buffers on the way take some of it.
    assertThat(sent.get()).isLessThan(64 << 20);
  }

  @Test
  void aSeedIsAFile() {
    server.artifacts.put("boards/a.img", new byte[10]);
    Run run = pull("boards/a.img", "-o", folder.resolve("a.img"), "--seed", "/dev/zero");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.errors()).contains("/dev/zero is no regular file");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\\u001b[2J", "\\u009b2J", "\\u202e", "\\u2028", "\\u0007", "\\r", "\\u200f"})
  void aTerminalIsNotSpokenTo(String sequence) throws IOException {
    Path file = Files.writeString(folder.resolve("a.img"), "hello");
    server.replace("POST", 0, FakeServer.problem(422, "one" + sequence + "two"));
    Run run = push("--json", file, "boards/a.img");
    String said =
        JsonMapper.shared()
            .readValue("\"" + sequence.charAt(0) + sequence.substring(1) + "\"", String.class);
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.errors()).contains("one?").doesNotContain(said.substring(0, 1));
    assertThat(run.output()).doesNotContain(said.substring(0, 1));
  }

  @Test
  void aNameIsPrintedWithoutItsEscapes() throws IOException {
    Path file = Files.writeString(folder.resolve("a\u001b[31m.img"), "hello");
    Run run = push(file, "boards/a.img");
    assertThat(run.status()).as(run.errors()).isZero();
    assertThat(run.output()).contains("a?[31m.img").doesNotContain("\u001b");
  }

  private static HttpHandler endless(AtomicLong sent) {
    return exchange -> {
      exchange.sendResponseHeaders(200, 0);
      byte[] some = new byte[64 * 1024];
      try (OutputStream out = exchange.getResponseBody()) {
        while (sent.get() < 1L << 30) {
          out.write(some);
          sent.addAndGet(some.length);
        }
      }
    };
  }
}

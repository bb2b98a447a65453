package io.artifactserver.rest.command.client;

import static io.artifactserver.core.waiting.Eventually.isSoWithin;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.artifactserver.core.catalog.ArtifactId;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that gets the last request of an upload and is never heard of again. */
@Timeout(300)
class FrozenConnectionTest extends ClientFixture {
  private static final ArtifactId ID = new ArtifactId("boards", "a.img");

  private static final int LARGE = 2 * (16 << 20);

  private final CountDownLatch frozen = new CountDownLatch(1);
  private final StringWriter errors = new StringWriter();

  @AfterEach
  void thaw() {
    frozen.countDown();
  }

  @Test
  void partsAreAskedForAgainUntilTheyAreOneFile() throws Exception {
    AtomicInteger finals = new AtomicInteger();
    server.replace(
        "POST /api/v1/uploads",
        2,
        exchange -> {
          if (finals.incrementAndGet() < 3) {
            await();
          }
          server.artifacts.put("boards/a.img", new byte[LARGE]);
          FakeServer.answerMade(exchange);
        });
    Outcome outcome = push();
    assertThat(outcome.wasThere()).isFalse();
    assertThat(finals).hasValueGreaterThanOrEqualTo(3);
    assertThat(errors.toString()).contains("while the server puts the parts together");
  }

  /** The request whose connection is frozen has the server at it. */
  @Test
  void partsThatAreStillPutTogetherAreWaitedFor() throws Exception {
    AtomicInteger finals = new AtomicInteger();
    server.replace(
        "POST /api/v1/uploads",
        2,
        exchange -> {
          switch (finals.incrementAndGet()) {
            case 1 -> await();
            case 2 -> FakeServer.answer(exchange, 201, "");
            default -> {
              server.artifacts.put("boards/a.img", new byte[LARGE]);
              FakeServer.answerMade(exchange);
            }
          }
        });
    assertThat(push().wasThere()).isFalse();
    assertThat(finals).hasValueGreaterThanOrEqualTo(3);
  }

  @Test
  void partsThatBecameAFileWithoutAnAnswerAreASuccess() throws Exception {
    AtomicInteger finals = new AtomicInteger();
    server.replace(
        "POST /api/v1/uploads",
        2,
        exchange -> {
          if (finals.incrementAndGet() == 1) {
            server.artifacts.put("boards/a.img", new byte[LARGE]);
            await();
          }
          FakeServer.answer(exchange, 404, "");
        });
    assertThat(push().wasThere()).isFalse();
    assertThat(finals).hasValueGreaterThanOrEqualTo(2);
  }

  /** The answer comes once the line is there. */
  @Test
  void aTerminalShowsThatPartsArePutTogether() throws Exception {
    String line = "a.img: the server is putting 2 parts together, 0:00 so far";
    server.replace(
        "POST /api/v1/uploads",
        2,
        exchange -> {
          boolean _ = isSoWithin(Duration.ofSeconds(20), () -> errors.toString().contains(line));
          server.artifacts.put("boards/a.img", new byte[LARGE]);
          FakeServer.answerMade(exchange);
        });
    assertThat(push(80, TusUploads.PATIENCE).wasThere()).isFalse();
    assertThat(errors.toString()).contains(line);
  }

  @Test
  void eachWaitIsTwiceTheOneBefore() throws Exception {
    server.replace("POST", 0, _ -> await());
    try (Remote remote = remote()) {
      TusUploads uploads = new TusUploads(remote, Duration.ofSeconds(1), _ -> {});
      for (int attempt : new int[] {0, 1}) {
        assertThatIOException()
            .isThrownBy(() -> uploads.concatenate(ID, List.of("a"), Map.of(), attempt))
            .withMessageContaining("no answer for %d s".formatted(attempt + 1))
            .withCauseInstanceOf(HttpTimeoutException.class);
      }
    }
  }

  /** An answer of a busy machine may come too late, too, and is asked for again. */
  private Outcome push() throws Exception {
    return push(0, Duration.ofMillis(200));
  }

  private Outcome push(int columns, Duration patience) throws Exception {
    Path file = Files.write(folder.resolve("a.img"), new byte[LARGE]);
    PrintWriter out = new PrintWriter(errors, true);
    Console console = new Console(out, out, "push", columns, new ClientOptions());
    try (Remote remote = remote()) {
      TusUploads uploads = new TusUploads(remote, patience, _ -> {});
      return new Push(remote, uploads, console, "server", states(), 2, true, Optional.empty())
          .push(file, ID);
    }
  }

  private Remote remote() throws ClientException {
    return new Remote(new Settings(server.uri(), Optional.empty(), Optional.empty()));
  }

  private void await() {
    try {
      frozen.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

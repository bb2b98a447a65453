package io.artifactserver.benchmarks.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import io.artifactserver.benchmarks.load.LyingServer.Lie;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The harness against a server that lies: it must notice. */
class HarnessTest {
  private static final int LENGTH = 300_001;
  private static final Content.Stamped CONTENT = Content.Stamped.of(LENGTH, 7);
  private static final Load RANGES = new RangeLoad(4, ByteSpan.random(20_480));
  private static final Load RESUME = new ResumedDownloads(3);

  /** All of the file, again and again. */
  private static final Load FULL =
      (target, probe, settings) -> {
        try (Client client = new Client(settings, probe)) {
          client.start(
              client.connection(target),
              connection -> {
                connection.connect();
                while (true) {
                  connection.get(Request.whole(CONTENT), System.nanoTime());
                }
              });
          Window window = client.open();
          client.sleep(settings.duration());
          return window.close(client.total(), Map.of());
        }
      };

  @TempDir Path folder;

  private byte[] bytes() throws IOException {
    Path file = folder.resolve("file");
    CONTENT.writeTo(file);
    return Files.readAllBytes(file);
  }

  /** Longer than any right answer takes, however busy the machine is. */
  private static final Duration PATIENT = Duration.ofMinutes(2);

  private static RoundSettings settings(Duration duration, Duration stall, double rate) {
    return new RoundSettings(CONTENT, 1, 1, duration, stall, 1, rate, Optional.empty());
  }

  private Round run(Load load, Lie lie, int honestRequests, int piece) throws IOException {
    return run(load, lie, honestRequests, piece, HarnessTest::hasSeenSomething);
  }

  private static boolean hasSeenSomething(Round round) {
    return round.requests() > 0 || !round.failures().isEmpty();
  }

  /** Runs rounds, each twice as long as the one before, until one has seen enough. */
  private Round run(
      Load load, Lie lie, int honestRequests, int piece, Predicate<Round> hasSeenEnough)
      throws IOException {
    Duration stall = lie == Lie.STALL ? Duration.ofMillis(300) : PATIENT;
    Duration duration = Duration.ofMillis(400);
    while (true) {
      try (LyingServer server = new LyingServer(bytes(), lie, honestRequests, piece)) {
        Round round = load.run(server.target(), ServerProbe.UNKNOWN, settings(duration, stall, 0));
        if (hasSeenEnough.test(round) || duration.compareTo(PATIENT) > 0) {
          return round;
        }
      }
      duration = duration.multipliedBy(2);
    }
  }

  @ParameterizedTest
  @CsvSource({"100000", "1000", "17"})
  void countsRightAnswersHoweverTheyAreTorn(int piece) throws IOException {
    Round round = run(RANGES, Lie.NONE, 0, piece);
    assertTrue(round.requests() > 0);
    assertEquals(round.failures().toString(), "{}");
    assertTrue(round.bodyBytes() >= round.requests() * 20_480 - 4 * 20_480);
    assertTrue(round.latency().p50() > 0);
    assertTrue(round.latency().max() >= round.latency().p99());
  }

  @Test
  void readsWholeFiles() throws IOException {
    Round round = run(FULL, Lie.NONE, 0, 65_536, seen -> seen.bodyBytes() > LENGTH);
    assertEquals("{}", round.failures().toString());
    assertTrue(round.bodyBytes() > LENGTH);
  }

  @Test
  void resumesWhereItDropped() throws IOException {
    Round round = run(RESUME, Lie.NONE, 0, 8192, seen -> resumes(seen) > 0 && seen.requests() > 0);
    assertEquals("{}", round.failures().toString());
    assertTrue(resumes(round) > 0);
    assertTrue(round.requests() > 0);
  }

  @Test
  void asksOnceOnEachConnection() throws IOException {
    Load fresh = new FreshConnections(3, ByteSpan.random(1), false);
    try (LyingServer server = new LyingServer(bytes(), Lie.NONE, 0, 8192)) {
      Round round =
          fresh.run(
              server.target(), ServerProbe.UNKNOWN, settings(Duration.ofSeconds(1), PATIENT, 0));
      assertEquals("{}", round.failures().toString());
      assertTrue(round.requests() > 3);
      assertTrue(server.requests() >= round.requests());
      assertTrue(server.connections() >= server.requests());
    }
  }

  private static double resumes(Round round) {
    return round.more().getOrDefault(ResumedDownloads.RESUMES, 0.0);
  }

  @Test
  void reconnectsToAServerThatCloses() throws IOException {
    Round round = run(RANGES, Lie.CLOSES, 0, 65_536, seen -> seen.requests() > 4);
    assertEquals("{}", round.failures().toString());
    assertTrue(round.requests() > 4);
  }

  @ParameterizedTest
  @EnumSource(names = {"WRONG_BYTE", "WRONG_LAST_BYTE"})
  void aWrongByteEndsTheRun(Lie lie) {
    WrongBytesException wrong =
        assertThrows(WrongBytesException.class, () -> runUntilItThrows(RANGES, lie, 6));
    assertTrue(String.valueOf(wrong.getMessage()).contains("wrong byte at position"));
    assertThrows(WrongBytesException.class, () -> runUntilItThrows(FULL, lie, 3));
    assertThrows(WrongBytesException.class, () -> runUntilItThrows(RESUME, lie, 0));
  }

  private Round runUntilItThrows(Load load, Lie lie, int honestRequests) throws IOException {
    return run(load, lie, honestRequests, 65_536, _ -> false);
  }

  @ParameterizedTest
  @CsvSource({
    "WRONG_RANGE, wrong range",
    "SHORT_BODY, short body",
    "STALL, stalled",
    "ERROR, status 500",
    "IGNORES_RANGE, status 200",
    "LONG_BODY, unasked bytes",
    "NOISE, malformed"
  })
  void countsWhatIsNoAnswer(Lie lie, String kind) throws IOException {
    Round round = run(RANGES, lie, 0, 65_536);
    assertEquals(0, round.requests());
    assertEquals(Set.of(kind), round.failures().keySet());
    assertTrue(round.failures().getOrDefault(kind, 0L) > 0);
    assertFalse(round.firstFailure().isEmpty());
  }

  @Test
  void aServerThatIsNotThereIsAFailure() throws IOException {
    Round round;
    // A port that is taken, and on which nobody listens.
    try (Socket held = new Socket()) {
      held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      URI nobody = URI.create("http://127.0.0.1:" + held.getLocalPort() + "/file");
      round =
          RANGES.run(
              new Target(nobody, ""),
              ServerProbe.UNKNOWN,
              settings(Duration.ofMillis(400), PATIENT, 0));
    }
    assertEquals(0, round.requests());
    assertEquals(Set.of("connect"), round.failures().keySet());
  }

  @Test
  void latencyCountsFromWhenARequestWasDue() throws IOException {
    // Each answer takes a while, for the body comes byte by byte; requests are due far more often.
    Duration duration = Duration.ofMillis(600);
    Round late;
    do {
      try (LyingServer server = new LyingServer(bytes(), Lie.NONE, 0, 1)) {
        late = RANGES.run(server.target(), ServerProbe.UNKNOWN, settings(duration, PATIENT, 1e6));
      }
      duration = duration.multipliedBy(2);
    } while (late.requests() == 0 && duration.compareTo(PATIENT) < 0);
    assertTrue(late.requests() > 0);
    // The last one to end was due at the beginning.
    assertTrue(
        late.latency().max() > duration.toMillis() / 4.0,
        "half as old as the round, or more: " + late.latency());
  }

  @Test
  void aLimitedNumberOfRequestsIsSentAtARate() throws IOException {
    double rate = 40;
    Duration duration = Duration.ofMillis(500);
    int requests;
    double seconds;
    do {
      try (LyingServer server = new LyingServer(bytes(), Lie.NONE, 0, 65_536)) {
        long begun = System.nanoTime();
        RANGES.run(server.target(), ServerProbe.UNKNOWN, settings(duration, PATIENT, rate));
        seconds = (System.nanoTime() - begun) / 1e9;
        requests = server.requests();
      }
      duration = duration.multipliedBy(2);
    } while (requests < 10 && duration.compareTo(PATIENT) < 0);
    // However slow the machine is, none is sent before it is due.
    assertTrue(requests >= 10 && requests <= rate * seconds + 2, requests + " in " + seconds);
  }

  @Test
  void everyByteOfTheFileIsChecked() throws IOException {
    byte[] bytes = bytes();
    assertEquals(-1, CONTENT.mismatch(ByteBuffer.wrap(bytes), 0));
    assertEquals(-1, CONTENT.mismatch(ByteBuffer.wrap(bytes, 5000, 100), 5000));
    assertEquals(-1, Content.Mapped.of(folder.resolve("file")).mismatch(ByteBuffer.wrap(bytes), 0));
    for (int position = 0; position < bytes.length; position += 61) {
      bytes[position] ^= 0x40;
      assertEquals(position, CONTENT.mismatch(ByteBuffer.wrap(bytes), 0));
      bytes[position] ^= 0x40;
    }
  }

  @Test
  void bytesOfAnotherPageAreNoticed() throws IOException {
    byte[] bytes = bytes();
    for (int page = 1; page < LENGTH / Content.Stamped.PAGE; page++) {
      ByteBuffer first = ByteBuffer.wrap(bytes, 0, Content.Stamped.PAGE);
      assertTrue(CONTENT.mismatch(first, (long) page * Content.Stamped.PAGE) >= 0);
    }
  }

  @Test
  void aChangedFileIsWrittenAnew() throws IOException {
    Path file = folder.resolve("file");
    byte[] right = bytes();
    byte[] wrong = right.clone();
    wrong[123_456]++;
    Files.write(file, wrong);
    CONTENT.writeTo(file);
    assertEquals(-1, CONTENT.mismatch(ByteBuffer.wrap(Files.readAllBytes(file)), 0));
  }
}

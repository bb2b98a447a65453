package io.artifactserver.benchmarks.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import io.artifactserver.benchmarks.load.LyingServer.Lie;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The harness against a server that lies: it must notice. */
class HarnessTest {
  private static final int LENGTH = 300_001;
  private static final Content.Stamped CONTENT = Content.Stamped.of(LENGTH, 7);
  private static final Scenario RANGES =
      new RangeLoad(
          "test", "test", Metric.REQUEST_RATE, Scenario.Door.OPEN, 4, ByteSpan.random(20_480));
  private static final Scenario FULL = new FullDownloads("full", "test", 3, false);
  private static final Scenario RESUME = new FullDownloads("resume", "test", 3, true);

  @TempDir Path folder;

  private byte[] bytes() throws IOException {
    Path file = folder.resolve("file");
    CONTENT.writeTo(file);
    return Files.readAllBytes(file);
  }

  private static RoundSettings settings() {
    return new RoundSettings(
        CONTENT, 1, 1, Duration.ofMillis(400), Duration.ofMillis(300), 1, 0, Optional.empty());
  }

  private Round run(Scenario scenario, Lie lie, int honestRequests, int piece) throws IOException {
    try (LyingServer server = new LyingServer(bytes(), lie, honestRequests, piece)) {
      return scenario.run(server.target(), ServerProbe.UNKNOWN, settings());
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
    Round round = run(FULL, Lie.NONE, 0, 65_536);
    assertEquals("{}", round.failures().toString());
    assertTrue(round.bodyBytes() > LENGTH);
  }

  @Test
  void resumesWhereItDropped() throws IOException {
    Round round = run(RESUME, Lie.NONE, 0, 8192);
    assertEquals("{}", round.failures().toString());
    assertTrue(round.more().getOrDefault("resumes/s", 0.0) > 0);
    assertTrue(round.requests() > 0);
  }

  @Test
  void reconnectsToAServerThatCloses() throws IOException {
    Round round = run(RANGES, Lie.CLOSES, 0, 65_536);
    assertEquals("{}", round.failures().toString());
    assertTrue(round.requests() > 4);
  }

  @ParameterizedTest
  @EnumSource(names = {"WRONG_BYTE", "WRONG_LAST_BYTE"})
  void aWrongByteEndsTheRun(Lie lie) {
    WrongBytesException wrong =
        assertThrows(WrongBytesException.class, () -> run(RANGES, lie, 6, 65_536));
    assertTrue(String.valueOf(wrong.getMessage()).contains("wrong byte at position"));
    assertThrows(WrongBytesException.class, () -> run(FULL, lie, 3, 65_536));
    assertThrows(WrongBytesException.class, () -> run(RESUME, lie, 0, 65_536));
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
    Target nobody;
    try (LyingServer server = new LyingServer(bytes(), Lie.NONE, 0, 1)) {
      nobody = server.target();
    }
    Round round = RANGES.run(nobody, ServerProbe.UNKNOWN, settings());
    assertEquals(0, round.requests());
    assertEquals(Set.of("connect"), round.failures().keySet());
  }

  @Test
  void latencyCountsFromWhenARequestWasDue() throws IOException {
    // Each answer takes a while, for the body comes byte by byte; requests are due far more often.
    RoundSettings hurried =
        new RoundSettings(
            CONTENT, 1, 1, Duration.ofMillis(600), Duration.ofSeconds(5), 1, 1e6, Optional.empty());
    try (LyingServer server = new LyingServer(bytes(), Lie.NONE, 0, 1)) {
      Round late = RANGES.run(server.target(), ServerProbe.UNKNOWN, hurried);
      Round plain = RANGES.run(server.target(), ServerProbe.UNKNOWN, settings());
      assertTrue(late.requests() > 0);
      assertTrue(
          late.latency().max() > plain.latency().mean(),
          "a schedule that cannot be kept shows in the latencies");
      assertTrue(late.latency().max() > 300, "nearly as old as the round: " + late.latency());
    }
  }

  @Test
  void aLimitedNumberOfRequestsIsSentAtARate() throws IOException {
    RoundSettings rated =
        new RoundSettings(
            CONTENT, 1, 1, Duration.ofMillis(500), Duration.ofSeconds(5), 1, 40, Optional.empty());
    try (LyingServer server = new LyingServer(bytes(), Lie.NONE, 0, 65_536)) {
      RANGES.run(server.target(), ServerProbe.UNKNOWN, rated);
      // 0.1 s of connecting, 0.3 of settling and the half second: 40 a second cannot be more.
      assertTrue(server.requests() >= 10 && server.requests() <= 60, "" + server.requests());
    }
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
  void aFirewallThatTracksConnectionsIsNoticed() throws IOException {
    assertFalse(ConnectionTracking.isInUse(() -> 0), "nothing ever was");
    assertFalse(ConnectionTracking.isInUse(() -> 17), "some were, some time ago");
    AtomicInteger tracked = new AtomicInteger(17);
    assertTrue(ConnectionTracking.isInUse(() -> tracked.getAndAdd(64)));
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

package io.artifactserver.benchmarks.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.artifactserver.benchmarks.load.LoadReport.Latency;
import io.artifactserver.benchmarks.load.LoadReport.Round;
import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How many rounds go before the measured ones. */
class WarmUpTest {
  private static final int MEASURED = 2;

  /** A server that need not be there. */
  private static final Server NOBODY =
      new Server(
          new ServerDescription("nobody", "nobody", true, "1", ""),
          Map.of(Scenario.Door.OPEN, new Target(URI.create("http://127.0.0.1:9/"), "")),
          ServerProbe.UNKNOWN,
          () -> {});

  static Stream<Arguments> throughputs() {
    return Stream.of(
        Arguments.of("as fast as ever", List.of(100), 2),
        Arguments.of("slower", List.of(100, 90, 200), 2),
        Arguments.of("hardly faster", List.of(100, 102, 200), 2),
        Arguments.of("compiled after three", List.of(100, 150, 200, 205, 300), 4),
        Arguments.of("sends nothing", List.of(0), 1),
        Arguments.of(
            "never ends to rise",
            Stream.iterate(100, speed -> 2 * speed).limit(20).toList(),
            LoadRun.MAX_WARM_UPS));
  }

  /**
   * @param speeds MB a round; the last one is repeated
   */
  @ParameterizedTest(name = "{0}")
  @MethodSource("throughputs")
  void aServerIsWarmWhenItIsNoFasterThanBefore(String name, List<Integer> speeds, int warmUps) {
    Scripted scenario = new Scripted(speeds, Map.of());
    run(scenario);
    assertEquals(warmUps, scenario.rounds.stream().filter(round -> round == 0).count());
    assertEquals(
        speeds.getFirst() == 0 ? 0 : MEASURED,
        scenario.rounds.stream().filter(round -> round > 0).count());
  }

  @Test
  void aFailureBeforeTheMeasuredRoundsIsOne() {
    Scripted scenario = new Scripted(List.of(100, 200), Map.of("status 503", 1L));
    assertTrue(run(scenario).oursFailed());
    assertEquals(List.of(0, 1, 2), scenario.rounds);
  }

  private static LoadRun.Outcome run(Load scenario) {
    return new LoadRun(
            List.of(NOBODY),
            Content.Stamped.of(4096, 1),
            MEASURED,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            1,
            1,
            0,
            false,
            0.1,
            new PrintWriter(Writer.nullWriter()))
        .run(
            List.of(
                new Scenario(
                    "scripted",
                    "nothing is sent",
                    Metric.THROUGHPUT,
                    Scenario.Door.OPEN,
                    true,
                    scenario)));
  }

  /** Serves as fast as it is told to, and fails in its first round if it is told to. */
  private static final class Scripted implements Load {
    private final List<Integer> speeds;
    private final Map<String, Long> failures;
    private final List<Integer> rounds = new ArrayList<>();

    private Scripted(List<Integer> speeds, Map<String, Long> failures) {
      this.speeds = speeds;
      this.failures = failures;
    }

    @Override
    public Round run(Target target, ServerProbe probe, RoundSettings settings) {
      int speed = speeds.get(Math.min(rounds.size(), speeds.size() - 1));
      boolean fails = rounds.isEmpty() && !failures.isEmpty();
      rounds.add(settings.round());
      return new Round(
          settings.round(),
          1,
          speed,
          fails ? failures : Map.of(),
          speed * 1_000_000L,
          Latency.NONE,
          1,
          1,
          0,
          0,
          0,
          Map.of(),
          fails ? failures.toString() : "");
    }
  }
}

package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.rest.endtoend.MixSite.Backend;
import io.artifactserver.rest.endtoend.MixSite.Transport;
import io.artifactserver.rest.endtoend.Tally.Count;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many kinds of clients at once, on every transport of a server and on every backend, all of whose
 * answers are compared byte by byte. {@code -Dmix.seconds} says how long each server is visited,
 * {@code -Dmix.seed} repeats what the clients choose, {@code -Dmix.servers} is a pattern of the
 * servers to visit. Without it, a build visits one of the six, which is drawn as well, and the
 * night all of them.
 */
@InTurn(7)
class MixIT {
  private static final long SECONDS = Long.getLong("mix.seconds", 20);

  /** Enough of them that slopes mean something. */
  private static final int SAMPLES = 60;

  private static final long MIN_SECONDS_BETWEEN_SAMPLES = 5;

  static Stream<Arguments> servers() {
    List<String> all =
        Stream.of(Backend.values())
            .flatMap(backend -> Stream.of(backend + " plain", backend + " tls"))
            .toList();
    return Drawn.from(all, "mix.servers", MixCrowd.SEED)
        .map(server -> server.split(" "))
        .map(words -> arguments(Backend.valueOf(words[0]), words[1].equals("tls")));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyByteIsTheClientsOwn(Backend backend, boolean isTls, @TempDir Path folder)
      throws Exception {
    long seed = MixCrowd.SEED;
    String what =
        "%s%s, -Dmix.seed=%d -Dmix.seconds=%d"
            .formatted(backend, isTls ? " with TLS" : "", seed, SECONDS);
    Tally tally = new Tally();
    List<MixKind> kinds = new ArrayList<>(List.of(Http1Mix.values()));
    kinds.addAll(List.of(Http2Mix.values()));
    List<MixSlopes.Sample> samples = new ArrayList<>();
    try (MixSite site = MixSite.start(folder, backend, isTls)) {
      try (MixCrowd crowd = new MixCrowd(site, tally, seed)) {
        for (Transport transport : site.transports()) {
          for (MixKind kind : kinds) {
            if (kind.speaks(transport)) {
              crowd.add(kind, transport);
            }
          }
        }
        long interval = 1000 * Math.max(SECONDS / SAMPLES, MIN_SECONDS_BETWEEN_SAMPLES);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        // A sample takes seconds, too, on a busy machine.
        for (long left = SECONDS * 1000;
            left > 0;
            left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
          pause(Duration.ofMillis(Math.min(interval, left)));
          samples.add(MixSlopes.sample(site, tally));
        }
      }
    } finally {
      System.out.printf("%s%n%s%n%s%n", what, tally, MixSlopes.table(samples));
    }
    tally.requireSound(what);
    for (Transport transport : Transport.values()) {
      for (MixKind kind : kinds) {
        if (transport.isTls() == isTls && kind.speaks(transport)) {
          requireAnswered(kind, tally.row(transport + " " + kind.name()));
        }
      }
    }
    MixSlopes.requireFlat(samples, SECONDS);
  }

  /** A kind that gets no answers proves nothing. */
  private static void requireAnswered(MixKind kind, Tally.Row row) {
    Count proof =
        switch (kind) {
          case Http1Mix.ABORTING -> Count.PARTS;
          case Http1Mix.MALFORMED -> Count.ERRORS;
          // Whether the server ends it depends on how fast the frames arrive: Http2AttackIT.
          case Http2Mix.BEYOND_RATE -> Count.RESETS;
          default -> Count.ANSWERS;
        };
    assertThat(row.get(proof)).as("%s of %s", proof, kind.name()).isPositive();
    assertThat(row.get(Count.CONNECTIONS)).as("connections of %s", kind.name()).isPositive();
    if (kind != Http1Mix.MALFORMED) {
      assertThat(row.get(Count.BYTES)).as("bytes of %s", kind.name()).isPositive();
    }
  }
}

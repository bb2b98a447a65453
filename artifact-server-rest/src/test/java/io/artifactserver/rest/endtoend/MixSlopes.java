package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The memory that a server holds while it is visited, and its growth. */
final class MixSlopes {
  /** A shorter run is the server's youth: caches fill, and classes are loaded. */
  private static final long MIN_SECONDS = 600;

  private MixSlopes() {}

  /**
   * One moment.
   *
   * @param footprint after a collection
   * @param anonymous memory of the process that no file stands for, in bytes
   * @param p99 of the answers since the last sample, in milliseconds
   */
  record Sample(Footprint footprint, long anonymous, double p99) {
    @Override
    public String toString() {
      return "%s, anonymous %.1f MB, p99 %.1f ms".formatted(footprint, anonymous / 1e6, p99);
    }
  }

  static Sample sample(MixSite site, Tally tally) throws IOException, InterruptedException {
    double p99 = tally.p99();
    Footprint footprint = Footprint.of(site.server(), site.operator());
    Path memory = Path.of("/proc/%d/smaps_rollup".formatted(site.server().pid()));
    long anonymous =
        Files.readAllLines(memory).stream()
            .filter(line -> line.startsWith("Anonymous:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
            .findFirst()
            .orElseThrow();
    return new Sample(footprint, anonymous, p99);
  }

  static String table(List<Sample> samples) {
    return samples.stream().map(Sample::toString).collect(Collectors.joining("\n"));
  }

  /**
   * The last third of a long run is like the second; the first is when the server warms up.
   *
   * <p>Each margin is what clients that happen to be there at a sample may hold: some 60
   * connections with a buffer of 64 KiB each, its copy for TLS, and garbage of a pool that shrinks
   * later. A leak of one buffer in a thousand connections is above it after 30 minutes.
   */
  static void requireFlat(List<Sample> samples, long seconds) {
    if (seconds < MIN_SECONDS) {
      return;
    }
    requireFlat("heap", samples, sample -> sample.footprint().heap(), 8e6, 0.05);
    requireFlat("direct memory", samples, sample -> sample.footprint().direct(), 8e6, 0.05);
    requireFlat("anonymous memory", samples, Sample::anonymous, 16e6, 0.05);
    requireFlat("descriptors", samples, sample -> sample.footprint().descriptors(), 30, 0);
    // The machine has other things to do: a slope is more than half of it.
    requireFlat("p99", samples, Sample::p99, 5, 0.5);
  }

  private static void requireFlat(
      String what,
      List<Sample> samples,
      ToDoubleFunction<Sample> value,
      double margin,
      double share) {
    int third = samples.size() / 3;
    double second = median(samples.subList(third, 2 * third), value);
    double last = median(samples.subList(2 * third, samples.size()), value);
    assertThat(last)
        .as("%s in the last third, after %s in the second", what, second)
        .isLessThanOrEqualTo(second * (1 + share) + margin);
  }

  private static double median(List<Sample> samples, ToDoubleFunction<Sample> value) {
    double[] sorted = samples.stream().mapToDouble(value).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}

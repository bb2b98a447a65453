package io.artifactserver.benchmarks.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.benchmarks.gate.Gate.Verdict;
import io.artifactserver.benchmarks.gate.Term.Subject;
import io.artifactserver.benchmarks.results.Jmh;
import io.artifactserver.benchmarks.results.Result;
import io.artifactserver.benchmarks.results.Results;
import io.artifactserver.core.nightly.Nightly;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Every gate fails on its planted regression: one that cannot fail would be none. Regressions are
 * measured by the benchmarks' own code, with knobs that nobody would choose or a store, planner or
 * catalog of the package {@code planted}.
 */
@Tag("ratios")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatesTest {
  /** The planted way of each gate, measured in place of the real one. */
  private static final Map<String, Map<String, Subject>> PLANTS =
      Map.ofEntries(
          plant("seek, pread: 600 MB / 0", "SeekBenchmark.pread", "PlantedStores.skippingPread"),
          plant("seek, map: 600 MB / 0", "SeekBenchmark.mappedCopy", "PlantedStores.skippingMap"),
          plant(
              "seek, encrypted: 600 MB / 0",
              "SeekBenchmark.encrypted",
              "PlantedStores.skippingEncrypted"),
          plant(
              "seek: commons-io's skip / pread",
              "SeekBenchmark.pread",
              "PlantedStores.skippingPread"),
          plant(
              "seek: commons-io's skip / map",
              "SeekBenchmark.mappedCopy",
              "PlantedStores.skippingMap"),
          plant(
              "seek: skipping decryption / encrypted",
              "SeekBenchmark.encrypted",
              "PlantedStores.skippingEncrypted"),
          plant(
              "encryption: 128 KiB encrypted / plain",
              "SegmentBenchmark.encrypted",
              new Subject(
                  "SegmentBenchmark.encrypted",
                  Map.of("position", "600000000", "segmentLength", "1048576"))),
          plant(
              "garbage of a range, pread", "SeekBenchmark.pread", "PlantedStores.allocatingPread"),
          plant(
              "garbage of a range, map", "SeekBenchmark.mappedCopy", "PlantedStores.allocatingMap"),
          plant(
              "garbage of a range, encrypted 128 KiB",
              "SegmentBenchmark.encrypted",
              "PlantedStores.allocatingEncrypted"),
          oneChunkAtATime("window, download of 32 x 1 KiB: 1 / 16", "download", "32x1024"),
          oneChunkAtATime("window, download of 32 x 1 MiB: 1 / 16", "download", "32x1048576"),
          oneChunkAtATime("window, upload of 32 x 1 KiB: 1 / 16", "upload", "32x1024"),
          plant("planner: 167 ranges / 1 range", "ResponsePlannerBenchmark.plan", "Quadratic.plan"),
          plant(
              "planner: 1 range / reading its 128 KiB",
              "ResponsePlannerBenchmark.plan",
              "Laborious.plan"),
          plant("garbage of a plan", "ResponsePlannerBenchmark.plan", "Laborious.plan"),
          plant(
              "catalog: warm lookup / hash map",
              "CatalogLookupBenchmark.peek",
              "PlantedCatalog.peek"),
          plant("garbage of a warm lookup", "CatalogLookupBenchmark.peek", "PlantedCatalog.peek"),
          plant(
              "progress: ranges anywhere / in order",
              "ProgressBenchmark.scattered",
              "PlantedProgress.scattered"),
          plant(
              "digests: side by side / one after the other",
              "DigestBenchmark.all",
              "DigestBenchmark.oneThread"),
          plant(
              "copy buffer: 64 KiB / fastest size",
              "BufferSizeBenchmark.oneThread(bufferLength=65536)",
              new Subject("BufferSizeBenchmark.oneThread", Map.of("bufferLength", "512"))),
          plant(
              "server, 80 clients: map / 64 KiB buffer",
              "ServerBufferBenchmark.download(body=mapped)",
              new Subject("ServerBufferBenchmark.download", Map.of("body", "4096"))),
          plant(
              "server, 80 clients: 64 KiB / fastest buffer",
              "ServerBufferBenchmark.download(body=65536)",
              new Subject("ServerBufferBenchmark.download", Map.of("body", "4096"))),
          plant(
              "update forms: chunker / SHA-256",
              "UpdateFormsBenchmark.chunker",
              "Thorough.chunker"),
          plant(
              "update forms: MD4 of blocks / SHA-256", "UpdateFormsBenchmark.md4", "Thorough.md4"),
          plant(
              "update forms: index and control file / four digests",
              "UpdateFormsBenchmark.forms",
              "Thorough.forms"),
          plant("chunk lookup / SHA-256 of a chunk", "UpdateFormsBenchmark.find", "Thorough.find"));

  private final Map<Subject, Result> measured = new HashMap<>();

  @Test
  void eachHasAPlant() {
    assertThat(PLANTS.keySet())
        .containsExactlyInAnyOrderElementsOf(Gates.ALL.stream().map(Gate::name).toList());
  }

  @ParameterizedTest
  @MethodSource("gates")
  @Nightly("It takes as long as the gates themselves; a change of them runs it by hand.")
  void failsOnItsPlantedRegression(Gate gate) {
    Map<String, Subject> plants = PLANTS.getOrDefault(gate.name(), Map.of());
    Results results = new Results(List.of());
    boolean planted = false;
    for (Subject subject : gate.subjects()) {
      Subject instead = instead(subject, plants);
      planted |= !instead.equals(subject);
      Result result = measured.computeIfAbsent(instead, GatesTest::measure);
      results = results.with(new Results(List.of(as(subject, result))));
    }
    Verdict verdict = gate.judge(results);

    assertThat(planted).isTrue();
    assertThat(verdict.holds()).as("%s is %s", gate.quotient(), verdict.value()).isFalse();
  }

  static List<Gate> gates() {
    return Gates.ALL;
  }

  private static Subject instead(Subject subject, Map<String, Subject> plants) {
    Subject plant = plants.getOrDefault(subject.toString(), plants.get(subject.name()));
    if (plant == null) {
      return subject;
    }
    return plant.knobs().isEmpty() ? new Subject(plant.name(), subject.knobs()) : plant;
  }

  /** Very short, and in this process: a regression is many times slower, or it is none. */
  private static Result measure(Subject subject) {
    System.setProperty("jmh.ignoreLock", "true");
    TimeValue iteration = TimeValue.milliseconds(100);
    ChainedOptionsBuilder options =
        Jmh.options("\\." + Pattern.quote(subject.name()) + "$")
            .forks(0)
            .warmupIterations(2)
            .warmupTime(iteration)
            .measurementIterations(3)
            .measurementTime(iteration);
    subject.knobs().forEach(options::param);
    return Jmh.run(options).results().getFirst();
  }

  /** The result as if it were of the subject that a gate asks for. */
  private static Result as(Subject subject, Result result) {
    return new Result(
        "planted." + subject.name(),
        result.mode(),
        result.threads(),
        result.forks(),
        subject.knobs(),
        result.primaryMetric(),
        result.secondaryMetrics());
  }

  private static Map.Entry<String, Map<String, Subject>> plant(
      String gate, String subject, String instead) {
    return plant(gate, subject, new Subject(instead, Map.of()));
  }

  private static Map.Entry<String, Map<String, Subject>> plant(
      String gate, String subject, Subject instead) {
    return Map.entry(gate, Map.of(subject, instead));
  }

  private static Map.Entry<String, Map<String, Subject>> oneChunkAtATime(
      String gate, String method, String chunks) {
    return plant(
        gate,
        "ChunkedTransferBenchmark." + method,
        new Subject(
            "ChunkedTransferBenchmark." + method,
            Map.of("chunks", chunks, "window", "1", "schedulerThreads", "2")));
  }
}

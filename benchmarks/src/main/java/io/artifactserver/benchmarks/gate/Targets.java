package io.artifactserver.benchmarks.gate;

import static io.artifactserver.benchmarks.gate.Gate.Bound.AT_LEAST;
import static io.artifactserver.benchmarks.gate.Gate.Bound.AT_MOST;
import static io.artifactserver.benchmarks.gate.Term.time;

import io.artifactserver.benchmarks.gate.Term.Subject;
import io.artifactserver.benchmarks.results.Results;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.Stream;

/**
 * Figures that would be as good as those that others published, or as it can be: unlike a gate, a
 * target may be missed, and the page about performance says so.
 */
public final class Targets {
  private static final List<Gate> ALL =
      List.of(
          target(
              "The old skip to 600 MB takes as much longer than ours as was published",
              seek("legacySkipFully", 600_000_000),
              seek("pread", 600_000_000),
              AT_LEAST,
              800,
              "27.21 ms against 0.034 ms"),
          target(
              "A range at 600 MB takes no longer than one at 0",
              seek("pread", 600_000_000),
              seek("pread", 0),
              AT_MOST,
              1.05,
              "published: 0.034 ms at each position"),
          target(
              "An encrypted range takes no longer than a plain one",
              segment("encrypted"),
              segment("plain"),
              AT_MOST,
              1,
              "what a reader would like"),
          target(
              "A window of 16 saves as much as published, 32 chunks of 1 KiB",
              chunks("32x1024", 1),
              chunks("32x1024", 16),
              AT_LEAST,
              812.0 / 68,
              "Bazel: 812 to 68 ms"),
          target(
              "A window of 16 saves as much as published, 512 chunks of 1 MiB",
              chunks("512x1048576", 1),
              chunks("512x1048576", 16),
              AT_LEAST,
              12_849.0 / 991,
              "Bazel: 12,849 to 991 ms"),
          target(
              "Four digests take no longer than the slowest of them",
              time("DigestBenchmark.all", Map.of()),
              Term.slowest(
                  Arrays.stream(DigestAlgorithm.values())
                      .map(algorithm ->
                          new Subject("DigestBenchmark.one", Map.of("algorithm", algorithm.name())))
                      .toList()),
              AT_MOST,
              1,
              "issue 6; two processors cannot do better than half of the sum"),
          target(
              "Behind the engine, the mapped file is the fastest body",
              time("ServerBufferBenchmark.download", Map.of("body", "mapped")),
              Term.fastest(
                  Stream.of("8192", "32768", "65536", "131072", "262144", "1048576")
                      .map(body ->
                          new Subject("ServerBufferBenchmark.download", Map.of("body", body)))
                      .toList()),
              AT_MOST,
              1,
              "ADR 0002"));

  private Targets() {}

  /** Every target whose benchmarks are among the results. */
  public static List<Gate.Verdict> verdicts(Results results) {
    return ALL.stream().flatMap(target -> verdict(target, results)).toList();
  }

  private static Stream<Gate.Verdict> verdict(Gate target, Results results) {
    try {
      return Stream.of(target.judge(results));
    } catch (NoSuchElementException e) {
      return Stream.of();
    }
  }

  private static Gate target(
      String name, Term over, Term under, Gate.Bound bound, double limit, String source) {
    return new Gate(name, over, under, bound, limit, "", source);
  }

  private static Term seek(String method, long position) {
    return time("SeekBenchmark." + method, Map.of("position", Long.toString(position)));
  }

  private static Term segment(String method) {
    return time("SegmentBenchmark." + method, Map.of("position", "600000000"));
  }

  private static Term chunks(String chunks, int window) {
    return time(
        "ChunkedTransferBenchmark.download",
        Map.of("chunks", chunks, "window", Integer.toString(window)));
  }
}

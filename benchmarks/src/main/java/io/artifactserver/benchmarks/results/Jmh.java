package io.artifactserver.benchmarks.results;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs benchmarks of this class path. */
public final class Jmh {
  private Jmh() {}

  /**
   * Options for one benchmark, or for those a regular expression finds: with the garbage
   * collector's profiler, silent, and ended by the first failure.
   */
  public static ChainedOptionsBuilder options(String include) {
    return new OptionsBuilder()
        .include(include)
        .addProfiler(GCProfiler.class)
        .verbosity(VerboseMode.SILENT)
        .shouldFailOnError(true);
  }

  /**
   * Runs them in forks, and waits.
   *
   * @throws IllegalStateException if a benchmark fails or there is none
   */
  public static Results run(ChainedOptionsBuilder options) {
    Collection<RunResult> results;
    try {
      results = new Runner(options.build()).run();
    } catch (RunnerException e) {
      throw new IllegalStateException("A benchmark failed", e);
    }
    // By way of JMH's own format, so that a file that JMH wrote and a run are the same.
    try {
      Path file = Files.createTempFile("benchmark-results", ".json");
      try {
        try (PrintStream stream = new PrintStream(file.toFile(), StandardCharsets.UTF_8)) {
          ResultFormatFactory.getInstance(ResultFormatType.JSON, stream).writeOut(results);
        }
        return ResultFile.readResults(file);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

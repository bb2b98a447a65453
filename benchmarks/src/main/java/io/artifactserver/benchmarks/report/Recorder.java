package io.artifactserver.benchmarks.report;

import io.artifactserver.benchmarks.results.Jmh;
import io.artifactserver.benchmarks.results.Machine;
import io.artifactserver.benchmarks.results.ResultFile;
import io.artifactserver.benchmarks.results.Results;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The command {@code benchmarks/record}. */
public final class Recorder {
  private Recorder() {}

  /**
   * Measures one class as its annotations say, and keeps the result.
   *
   * @param arguments the folder of the results, the commit, the class, and knobs as {@code
   *     name=value,value}
   */
  public static void main(String[] arguments) {
    if (arguments.length < 3) {
      System.err.println("usage: Recorder RESULTS_FOLDER COMMIT CLASS [KNOB=VALUE,...] ...");
      System.exit(2);
    }
    String subject = arguments[2];
    StringBuilder command = new StringBuilder("benchmarks/record ").append(subject);
    ChainedOptionsBuilder options =
        Jmh.options("\\." + subject + "\\.").verbosity(VerboseMode.NORMAL);
    for (int i = 3; i < arguments.length; i++) {
      command.append(' ').append(arguments[i]);
      int equals = arguments[i].indexOf('=');
      options.param(
          arguments[i].substring(0, equals), arguments[i].substring(equals + 1).split(","));
    }
    Results results = Jmh.run(options);
    new ResultFile(
            command.toString(),
            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
            arguments[1],
            Machine.here(),
            results.results())
        .write(Path.of(arguments[0], subject + ".json"));
  }
}

package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.results.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The program of {@code mvn -Pgate verify}. */
public final class GateRun {
  private GateRun() {}

  /**
   * Checks the gates; ends with 1 if one does not hold.
   *
   * @param arguments the folder for {@code gates.json}, and the commit
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
      System.err.println("usage: GateRun FOLDER COMMIT");
      System.exit(2);
    }
    // Another run of JMH on this machine is noise, and noise is provided for.
    System.setProperty("jmh.ignoreLock", "true");
    System.exit(
        run(
            Gates.ALL,
            Bench::byJmh,
            Files.createDirectories(Path.of(arguments[0])),
            arguments[1],
            System.out));
  }

  /** Checks, and writes the file. Returns the exit status. */
  static int run(List<Gate> gates, Bench bench, Path folder, String commit, PrintStream out)
      throws IOException {
    GateKeeper.Outcome outcome = new GateKeeper(gates, bench, out).check();
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    GateReport report = GateReport.of(outcome, Machine.here(), now, commit);
    Path file = folder.resolve("gates.json");
    report.write(file);
    out.printf("%n%s%n%s%n", outcome.table(), file.toAbsolutePath());
    if (!outcome.holds()) {
      out.println("A gate does not hold: something got slower, or needs more memory.");
      return 1;
    }
    return 0;
  }
}

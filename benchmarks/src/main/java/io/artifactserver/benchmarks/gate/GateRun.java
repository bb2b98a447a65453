package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.load.LoadReport.Machine;
import io.artifactserver.benchmarks.results.Machines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What {@code mvn -Pgate verify} runs. */
public final class GateRun {
  private GateRun() {}

  /**
   * Checks the gates; ends with 1 if one does not hold.
   *
   * @param arguments the folder for {@code gates.json} and {@code gates.html}
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("usage: GateRun FOLDER");
      System.exit(2);
    }
    // Another run of JMH on this machine is noise, and noise is provided for.
    System.setProperty("jmh.ignoreLock", "true");
    Path folder = Files.createDirectories(Path.of(arguments[0]));
    GateKeeper.Outcome outcome =
        new GateKeeper(Gates.ALL, Bench::byJmh, System.out).check();
    Machine machine = Machines.here();
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    GateReport report = GateReport.of(outcome, machine, now);
    report.write(folder.resolve("gates.json"));
    Path page = folder.resolve("gates.html");
    Files.writeString(page, GatePage.of(report));
    System.out.printf("%n%s%n%s%n", outcome.table(), page.toAbsolutePath());
    if (!outcome.holds()) {
      System.out.println("A gate does not hold: something got slower, or needs more memory.");
      System.exit(1);
    }
  }
}

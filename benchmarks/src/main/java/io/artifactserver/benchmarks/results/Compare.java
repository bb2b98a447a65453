package io.artifactserver.benchmarks.results;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command {@code benchmarks/compare}. */
public final class Compare {
  private static final String USAGE =
      """
      usage: benchmarks/compare BEFORE.json AFTER.json [--fail-above PERCENT]

      Compares two runs of JMH: files of "java -jar benchmarks/target/benchmarks.jar -rf json -rff FILE",
      of benchmarks/results, or of the gates. A change is noise when the 99.9 % confidence intervals
      of the two overlap. With --fail-above the exit status is 1 if something is worse by more than
      PERCENT and by more than noise.
      """;

  private Compare() {}

  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments)));
  }

  /** Prints the table. Returns the exit status: 1 if worse than asked for, 2 if misused. */
  static int run(List<String> arguments) {
    List<Path> files = new ArrayList<>();
    double failAbove = Double.POSITIVE_INFINITY;
    try {
      for (int i = 0; i < arguments.size(); i++) {
        if (arguments.get(i).equals("--fail-above")) {
          failAbove = Double.parseDouble(arguments.get(++i));
        } else {
          files.add(Path.of(arguments.get(i)));
        }
      }
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      files.clear();
    }
    if (files.size() != 2) {
      System.err.print(USAGE);
      return 2;
    }
    Comparison comparison =
        Comparison.of(ResultFile.readResults(files.get(0)), ResultFile.readResults(files.get(1)));
    System.out.print(comparison.table());
    if (comparison.isWorseBy(failAbove)) {
      System.out.printf("%nWorse by more than %s %%.%n", Figures.format(failAbove));
      return 1;
    }
    return 0;
  }
}

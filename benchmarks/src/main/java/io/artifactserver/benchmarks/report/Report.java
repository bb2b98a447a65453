package io.artifactserver.benchmarks.report;

import io.artifactserver.benchmarks.load.LoadReport;
import io.artifactserver.benchmarks.results.ResultFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** The command {@code benchmarks/report}. */
public final class Report {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private Report() {}

  /**
   * Writes the page.
   *
   * @param arguments the folder of the results, and the page
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
      System.err.println("usage: Report RESULTS_FOLDER PAGE.md");
      System.exit(2);
    }
    Files.writeString(Path.of(arguments[1]), page(Path.of(arguments[0])));
  }

  /** The page of a folder: its files {@code load*.json} are of the load harness, others of JMH. */
  static String page(Path folder) throws IOException {
    List<ResultFile> runs = new ArrayList<>();
    List<LoadReport> loads = new ArrayList<>();
    for (Path file : files(folder)) {
      if (String.valueOf(file.getFileName()).startsWith("load")) {
        loads.add(JSON.readValue(file, LoadReport.class));
      } else {
        runs.add(ResultFile.read(file));
      }
    }
    return PerformancePage.of(runs, loads);
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }
}

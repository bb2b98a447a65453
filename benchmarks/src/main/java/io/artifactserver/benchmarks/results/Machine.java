package io.artifactserver.benchmarks.results;

import io.artifactserver.benchmarks.load.LoadReport.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Finds out what a measurement ran on. */
public final class Machines {
  private Machines() {}

  /** This one. */
  public static Machine here() {
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        field("/proc/cpuinfo", "model name", ":"),
        kibibytes(field("/proc/meminfo", "MemTotal", ":")) * 1024,
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        field("/etc/os-release", "PRETTY_NAME", "=").replace("\"", ""),
        System.getProperty("java.vendor") + " " + System.getProperty("java.runtime.version"));
  }

  private static long kibibytes(String text) {
    String digits = text.replaceAll("\\D", "");
    return digits.isEmpty() ? 0 : Long.parseLong(digits);
  }

  /** The first value of a field, or an empty string if the file has none. */
  private static String field(String file, String name, String separator) {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(separator) + 1).strip())
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      return "";
    }
  }
}

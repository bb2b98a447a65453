package io.artifactserver.core.program;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs of the machine. */
public final class Programs {
  private static final String ADMINISTRATION = ":/usr/sbin:/sbin";

  private Programs() {}

  /** Skips the test, and says so on standard error, unless every program is installed. */
  public static void assumeInstalled(String... programs) {
    for (String program : programs) {
      boolean isInstalled =
          Stream.of((System.getenv().getOrDefault("PATH", "") + ADMINISTRATION).split(":"))
              .anyMatch(folder -> Files.isExecutable(Path.of(folder).resolve(program)));
      String message = program + " is not installed: its tests are skipped";
      if (!isInstalled) {
        System.err.println(message);
      }
      assumeTrue(isInstalled, message);
    }
  }

  /** Lets a process find the programs that {@link #assumeInstalled} finds. */
  public static void extendPath(Map<String, String> environment) {
    environment.merge("PATH", ADMINISTRATION, String::concat);
  }

  /** Runs a program in a folder; it has to succeed. */
  public static void run(Path folder, String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output-", ".log");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
      throw new AssertionError(String.join(" ", command) + ": " + Files.readString(output));
    }
  }
}

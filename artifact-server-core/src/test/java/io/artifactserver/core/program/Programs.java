package io.artifactserver.core.program;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** Which programs there are. */
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
}

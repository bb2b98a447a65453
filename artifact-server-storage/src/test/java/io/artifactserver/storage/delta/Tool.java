package io.artifactserver.storage.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A program that the tests compare with. */
final class Tool {
  private Tool() {}

  /** Skips the test, and says so on standard error, if a program is missing. */
  static void assumeInstalled(String program) {
    boolean isInstalled =
        Stream.concat(
                Stream.of(System.getenv("PATH").split(File.pathSeparator)),
                Stream.of("/usr/sbin", "/sbin"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    String message = program + " is not installed: NOT COMPARED with it";
    if (!isInstalled) {
      System.err.println(message);
    }
    assumeTrue(isInstalled, message);
  }

  /** Runs a program in a folder until it ends, and returns what it printed. */
  static String run(Path folder, String... command) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(List.of(command)).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().merge("PATH", ":/usr/sbin:/sbin", String::concat);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", List.of(command), output).isZero();
    return output;
  }
}

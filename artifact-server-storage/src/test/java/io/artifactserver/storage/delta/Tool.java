package io.artifactserver.storage.delta;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A program that the tests compare with. */
final class Tool {
  private Tool() {}

  /** Runs a program in a folder until it ends, and returns what it printed. */
  static String run(Path folder, String... command) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(List.of(command)).directory(folder.toFile()).redirectErrorStream(true);
    Programs.extendPath(builder.environment());
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", List.of(command), output).isZero();
    return output;
  }
}

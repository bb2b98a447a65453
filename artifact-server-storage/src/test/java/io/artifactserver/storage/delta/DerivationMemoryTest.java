package io.artifactserver.storage.delta;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory that deriving takes does not grow with the artifact. */
class DerivationMemoryTest {
  private static final long LENGTH = 500_000_000;

  /** A quarter of it is more than the heap. */
  private static final long HOARDED_LENGTH = 100_000_000;

  /** The heap of the child process, classes and test data included. */
  private static final String HEAP = "-Xmx24m";

  private static final String BUFFERS = "-XX:MaxDirectMemorySize=4m";

  /** The memory that an installation may give the job. */
  private static final long MOST_KILOBYTES = 64 * 1024;

  @TempDir private Path folder;

  @Test
  void takesAFewMegabytesForHalfAGigabyte() throws Exception {
    String output = run(0, String.valueOf(LENGTH));
    String taken = output.replaceAll("(?s).*" + SmallDerivation.DONE + "(-?\\d+)\\s*$", "$1");
    System.out.println("Deriving the forms of " + LENGTH + " bytes took " + taken + " KB");
    assertThat(Long.parseLong(taken)).isLessThan(MOST_KILOBYTES);
  }

  /** So the test above cannot pass by accident. */
  @Test
  void aFormThatKeepsAQuarterDoesNotFit() throws Exception {
    assertThat(run(1, String.valueOf(HOARDED_LENGTH), SmallDerivation.HOARDING))
        .contains("OutOfMemoryError");
  }

  private String run(int expected, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                HEAP,
                BUFFERS,
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                SmallDerivation.class.getName(),
                folder.toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(output).isEqualTo(expected);
      return output;
    } finally {
      process.destroyForcibly();
    }
  }
}

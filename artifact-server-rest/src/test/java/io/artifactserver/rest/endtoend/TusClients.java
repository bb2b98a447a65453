package io.artifactserver.rest.endtoend;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.program.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Commands that upload the file {@code firmware.img} of their folder by tus, with the clients that
 * .ci/run installs. A test whose client is missing is skipped, and says so.
 */
final class TusClients {
  private static final Path INSTALLED =
      Path.of("..", "target", "tus-clients").toAbsolutePath().normalize();
  private static final Path SCRIPTS =
      Path.of("src", "test", "resources", "tus-clients").toAbsolutePath();

  private TusClients() {}

  /** Runs the script {@code upload.cjs}. */
  static String[] javascript(String... arguments) {
    Programs.assumeInstalled("node");
    Path library = INSTALLED.resolve(Path.of("node_modules", "tus-js-client"));
    assumeThere("tus-js-client", library);
    return command(arguments, "node", SCRIPTS.resolve("upload.cjs").toString(), library.toString());
  }

  /** Runs the script {@code upload.py}. */
  static String[] python(String... arguments) {
    Path python = INSTALLED.resolve(Path.of("python", "bin", "python"));
    assumeThere("tuspy", python);
    return command(arguments, python.toString(), SCRIPTS.resolve("upload.py").toString());
  }

  private static void assumeThere(String client, Path file) {
    boolean isThere = Files.exists(file);
    String message =
        "%s is not installed, for want of %s, which .ci/run makes: its tests are skipped"
            .formatted(client, file);
    if (!isThere) {
      System.err.println(message);
    }
    assumeTrue(isThere, message);
  }

  private static String[] command(String[] arguments, String... program) {
    return Stream.concat(Stream.of(program), Stream.of(arguments)).toArray(String[]::new);
  }
}

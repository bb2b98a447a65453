package io.artifactserver.storage.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs PostgreSQL's programs. Immutable, thread-safe if every call has its own output file.
 *
 * @param prefix of every command line
 * @param directory in which they run
 */
record PostgresCommand(List<String> prefix, Path directory) {
  private static final int MAX_OUTPUT_LENGTH = 4096;

  PostgresCommand {
    prefix = List.copyOf(prefix);
  }

  /**
   * How this user runs PostgreSQL in {@code directory}. It refuses the user root, so for root the
   * programs run in a user namespace of their own, in which they have no privileges.
   *
   * @throws DatabaseStartException if the user is root and there are no user namespaces
   */
  static PostgresCommand of(Path directory) throws IOException {
    if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
      return new PostgresCommand(List.of(), directory);
    }
    PostgresCommand command = new PostgresCommand(List.of("unshare", "-U"), directory);
    try {
      Path output = Files.createTempFile(directory, "unshare", ".log");
      try {
        if (command.run(output, Duration.ofSeconds(10), "true").exitCode() == 0) {
          return command;
        }
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      throw rootRefused(e);
    }
    throw rootRefused(new IOException("unshare -U failed"));
  }

  private static DatabaseStartException rootRefused(IOException cause) {
    return new DatabaseStartException(
        "PostgreSQL does not run as root, and user namespaces are not available here: start the"
            + " server as an ordinary user, or set artifact-server.database.url",
        cause);
  }

  /**
   * Runs a program to its end; kills it when the time is over.
   *
   * @param output file that takes what the program prints
   */
  Result run(Path output, Duration timeout, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(directory.toFile());
    builder.redirectErrorStream(true);
    // A file and not a pipe: a server started by pg_ctl might keep a pipe open for ever.
    builder.redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    process.getOutputStream().close();
    try {
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new IOException(
            "%s did not end within %d s: %s".formatted(command, timeout.toSeconds(), tail(output)));
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while waiting for " + command, e);
    }
    return new Result(process.exitValue(), tail(output));
  }

  /** The last 4 KiB of a file, or nothing if it cannot be read. */
  static String tail(Path file) {
    try {
      byte[] bytes = Files.readAllBytes(file);
      int start = Math.max(0, bytes.length - MAX_OUTPUT_LENGTH);
      return new String(bytes, start, bytes.length - start, StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * How a program ended.
   *
   * @param exitCode 0 if it succeeded
   * @param output the last 4 KiB of what it printed
   */
  record Result(int exitCode, String output) {}
}

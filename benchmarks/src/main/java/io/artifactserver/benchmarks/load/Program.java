package io.artifactserver.benchmarks.load;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process that the harness started, and stops whatever happens. */
final class Program implements AutoCloseable {
  private static final Duration STOP = Duration.ofSeconds(20);

  private final String name;
  private final Process process;
  private final Path log;
  private final Thread hook;

  private Program(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.hook = Thread.ofPlatform().unstarted(() -> stop(process));
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts one.
   *
   * @param log takes what it prints
   */
  static Program start(
      String name, List<String> command, Map<String, String> environment, Path log) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.environment().putAll(environment);
    try {
      return new Program(name, builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot start " + name, e);
    }
  }

  /**
   * Finds a program on the PATH or where Debian has programs of administrators.
   *
   * @throws UsageException naming the Debian package if it is not there
   */
  static Path find(String executable, String debianPackage) {
    return Stream.concat(
            Stream.of(
                Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator)),
            Stream.of("/usr/sbin", "/sbin"))
        .map(folder -> Path.of(folder, executable))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() ->
            new UsageException(
                "%s is not installed. Debian has it: apt install %s"
                    .formatted(executable, debianPackage)));
  }

  /** The output of a short command, in one line. */
  static String output(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      process.waitFor();
      return output.lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot run " + command.getFirst(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  /** A port of the loopback interface that nobody has now. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot find a free port", e);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Waits for its end; returns whether it came in time. */
  boolean awaitEnd(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  /**
   * Waits until it accepts connections.
   *
   * @throws UsageException with the end of its log if it ends or does not do so in time
   */
  void awaitPort(int port, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException e) {
        if (awaitEnd(Duration.ofMillis(100))) {
          throw new UsageException("%s did not start:%n%s".formatted(name, endOfLog()));
        }
        if (System.nanoTime() > deadline) {
          throw new UsageException(
              "%s does not listen after %d s:%n%s".formatted(name, limit.toSeconds(), endOfLog()));
        }
      }
    }
  }

  /** All that it printed. */
  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "(" + log + " cannot be read: " + e.getMessage() + ")";
    }
  }

  /** The last lines that it printed. */
  private String endOfLog() {
    List<String> lines = log().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
  }

  @Override
  public void close() {
    stop(process);
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  private static void stop(Process process) {
    List<ProcessHandle> descendants = process.descendants().toList();
    process.destroy();
    try {
      if (!process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(STOP.toSeconds(), TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    descendants.stream().filter(ProcessHandle::isAlive).forEach(ProcessHandle::destroy);
  }
}

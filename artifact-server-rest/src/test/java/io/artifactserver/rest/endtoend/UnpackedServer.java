package io.artifactserver.rest.endtoend;

import io.artifactserver.core.testserver.FolderTemplate;
import io.artifactserver.rest.poison.PoisonedJars;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * The jar as the launcher runs it: unpacked, and with a record of a start, which halves every later
 * one. Jetty's classes report faults ({@link PoisonedJars}). The tests start some hundred servers.
 * Test classes run in several processes at once: the first one unpacks the jar, and the others wait
 * for that; while one records, the servers of the others start without a record.
 *
 * @param record the file of the record, which appears once it is made
 */
record UnpackedServer(Path jar, Path record, FolderTemplate programs, FolderTemplate installation) {
  /** A start without a record, tens of thousands of requests, and the writing of the record. */
  private static final long RECORD_SECONDS = 400;

  private static @Nullable UnpackedServer known;

  static synchronized UnpackedServer once() throws IOException {
    UnpackedServer unpacked = known;
    if (unpacked == null) {
      unpacked = make(Path.of(System.getProperty("server.jar", "")));
      known = unpacked;
    }
    return unpacked;
  }

  private static UnpackedServer make(Path packaged) throws IOException {
    Path folder = packaged.toAbsolutePath().resolveSibling("unpacked");
    Files.createDirectories(folder);
    // Its own time stamp is fixed, so that builds can be reproduced: the file system's tells.
    String source =
        Files.getAttribute(packaged, "unix:ctime")
            + " "
            + System.getProperty("java.home")
            + " "
            + PackagedServer.JVM
            + " "
            + PoisonedJars.version();
    Path jar = folder.resolve(packaged.getFileName());
    Path record = folder.resolve("start.aot");
    try (FileChannel channel = lockFile(folder, "unpacking");
        FileLock _ = channel.lock()) {
      unlessDone(folder.resolve("unpacked-from"), source, () -> unpack(packaged, folder, record));
    }
    try (FileChannel channel = lockFile(folder, "recording");
        FileLock lock = channel.tryLock()) {
      if (lock != null) {
        unlessDone(folder.resolve("recorded-from"), source, () -> recordStart(folder, jar, record));
      }
    }
    return new UnpackedServer(
        jar,
        record,
        new FolderTemplate(folder.resolve(PackagedServer.PROGRAMS)),
        new FolderTemplate(folder.resolve("installation")));
  }

  /** Returns the record, or nothing before it is made. */
  Optional<Path> cache() {
    return Files.exists(record) ? Optional.of(record) : Optional.empty();
  }

  private static FileChannel lockFile(Path folder, String name) throws IOException {
    return FileChannel.open(
        folder.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private interface Step {
    void run() throws IOException;
  }

  /** Runs a step, unless the file says that it was done with the same source. */
  private static void unlessDone(Path file, String source, Step step) throws IOException {
    if (!Files.exists(file) || !Files.readString(file).equals(source)) {
      Files.deleteIfExists(file);
      step.run();
      Files.writeString(file, source);
    }
  }

  private static void unpack(Path packaged, Path folder, Path record) throws IOException {
    Files.deleteIfExists(record);
    FileSystemUtils.deleteRecursively(folder.resolve("installation"));
    run(
        folder,
        List.of(
            PackagedServer.JVM.getFirst(),
            "-Djarmode=tools",
            "-jar",
            packaged.toString(),
            "extract",
            "--force",
            "--destination",
            folder.toString()),
        Map.of());
    PoisonedJars.change(folder.resolve("lib"));
  }

  private static void recordStart(Path folder, Path jar, Path record) throws IOException {
    Path unfinished = folder.resolve("unfinished.aot");
    List<String> recording = new ArrayList<>();
    recording.add(PackagedServer.LAUNCHER.resolve("record-start").toString());
    recording.add(unfinished.toString());
    Path log = folder.resolve("record.log");
    recording.add(log.toString());
    recording.addAll(PackagedServer.JVM);
    recording.addAll(List.of("-jar", jar.toString()));
    try {
      // Servers that start from it live for minutes, and mostly without C2.
      run(folder, recording, Map.of("RECORD_REQUESTS", "600"));
    } catch (IllegalStateException e) {
      System.err.println("The packaged server starts slowly in these tests: " + e.getMessage());
      return;
    }
    List<String> faults = ServerLogs.faults(Files.readString(log));
    if (!faults.isEmpty()) {
      throw new AssertionError("The recorded start shows faults: " + faults);
    }
    if (Files.readString(log).contains("The training requests failed")) {
      throw new AssertionError("The recorded start was not trained; " + log + " says why");
    }
    Files.move(unfinished, record, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void run(Path folder, List<String> command, Map<String, String> environment)
      throws IOException {
    Path log = folder.resolveSibling(folder.getFileName() + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      if (!process.waitFor(RECORD_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new IllegalStateException(command + " failed: " + Files.readString(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}

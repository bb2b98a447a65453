package io.artifactserver.storage.postgres;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The server processes of one cluster, as Linux's {@code /proc} shows them. Every server process
 * works in the cluster's folder, so the folder tells them from other servers and other programs.
 *
 * @param cluster the cluster's folder, an absolute path without links
 */
record ClusterProcesses(Path cluster) {
  private static final Path PROC = Path.of("/proc");

  /** The process ids of the running ones. */
  Set<Long> running() throws IOException {
    Set<Long> running = new HashSet<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        if (isOurs(process)) {
          running.add(Long.parseLong(process.getFileName().toString()));
        }
      }
    }
    return running;
  }

  /** The process id in {@code postmaster.pid}, if there is one. */
  Optional<Long> recorded() throws IOException {
    try {
      String text = Files.readString(lockFile());
      return text.lines().findFirst().map(String::strip).map(Long::valueOf);
    } catch (NoSuchFileException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Whether a process of this number is one of ours. */
  boolean isRunning(long pid) {
    return isOurs(PROC.resolve(Long.toString(pid)));
  }

  /** The file that a server of this cluster keeps while it runs. */
  Path lockFile() {
    return cluster.resolve("postmaster.pid");
  }

  private boolean isOurs(Path process) {
    try {
      return Files.readSymbolicLink(process.resolve("cwd")).equals(cluster)
          && Files.readString(process.resolve("comm")).strip().equals("postgres");
    } catch (IOException e) {
      // Ended meanwhile, or another user's: a server always runs as the owner of its cluster.
      return false;
    }
  }
}

package io.artifactserver.core.testserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A folder that takes seconds to make and is copied instead, once a test has made it: PostgreSQL's
 * programs, say, which each new data folder wants. Thread-safe, also among processes.
 *
 * @param folder where the template is, or will be
 */
public record FolderTemplate(Path folder) {
  /** Whether it has been made. */
  public boolean exists() {
    return Files.exists(folder);
  }

  /** Makes {@code target} of the template, if there is one and {@code target} does not exist. */
  public void copyTo(Path target) throws IOException {
    if (isWanted(target)) {
      copy(folder, target);
    }
  }

  /** The same for read-only files: links them where the file system allows it, else copies. */
  public void linkTo(Path target) throws IOException {
    if (isWanted(target)) {
      try {
        run("cp", "--archive", "--link", folder.toString(), target.toString());
      } catch (IOException e) {
        // Another file system.
        run("rm", "--recursive", "--force", target.toString());
        copy(folder, target);
      }
    }
  }

  private boolean isWanted(Path target) throws IOException {
    if (!Files.exists(folder) || Files.exists(target)) {
      return false;
    }
    Files.createDirectories(
        target.resolveSibling("."),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    return true;
  }

  /** Makes the template of {@code source}, which nobody writes to, if there is none yet. */
  public void keep(Path source) throws IOException {
    if (Files.exists(folder) || !Files.exists(source)) {
      return;
    }
    Files.createDirectories(folder.resolveSibling("."));
    Path unfinished =
        folder.resolveSibling(folder.getFileName() + "." + ProcessHandle.current().pid());
    copy(source, unfinished);
    try {
      Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      if (!Files.exists(folder)) {
        throw e;
      }
      // Another process was quicker, with the same.
      run("rm", "--recursive", "--force", unfinished.toString());
    }
  }

  private static void copy(Path source, Path target) throws IOException {
    run("cp", "--archive", source.toString(), target.toString());
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("%s failed: %s".formatted(String.join(" ", command), output));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}

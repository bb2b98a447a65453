package io.artifactserver.core.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/** Changes of files and folders that a power cut does not take back. I/O; thread-safe. */
public final class DurableFiles {
  /** The mode of a new file that only its owner may read and write. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** The mode of a new folder that only its owner may enter. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private DurableFiles() {}

  /**
   * Writes a file that only its owner may read, whole or not at all. Replaces one that is there.
   */
  public static void write(Path file, ByteBuffer bytes) throws IOException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.deleteIfExists(part);
    try (FileChannel channel =
        FileChannel.open(
            part, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    move(part, file);
  }

  /**
   * Creates a folder that only its owner may enter, with those above it that are missing.
   *
   * @param folder absolute; may be there
   */
  public static void createFolder(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path present = folder;
    while (present.getParent() != null && !Files.exists(present)) {
      present = present.getParent();
    }
    Files.createDirectories(folder, OWNER_ONLY_FOLDER);
    for (Path above = folder; !above.equals(present); ) {
      above = Objects.requireNonNull(above.getParent());
      sync(above);
    }
  }

  /** Moves a file or folder within its file system, and replaces a file that is there. */
  public static void move(Path source, Path target) throws IOException {
    Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
    sync(Objects.requireNonNull(target.getParent()));
  }

  /**
   * Puts a file in the place of another without waiting for the disk: a power cut may take it back,
   * or some of its bytes. For what is looked for and fetched again.
   */
  public static void moveUnforced(Path source, Path target) throws IOException {
    Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Makes the names in a folder durable. */
  public static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /**
   * Works while no other process does under the same lock, {@code FILE.lock} beside the file. Waits
   * for it; within a process, callers take turns themselves.
   */
  public static <T, E extends Exception> T exclusively(Path file, Work<T, E> work)
      throws IOException, E {
    Path lock = file.resolveSibling(file.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(
                lock, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OWNER_ONLY);
        FileLock held = channel.lock()) {
      Objects.requireNonNull(held);
      return work.run();
    }
  }

  /** Reads and changes a file. */
  @FunctionalInterface
  public interface Work<T, E extends Exception> {
    T run() throws IOException, E;
  }
}

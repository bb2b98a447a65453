package io.artifactserver.storage.file;

import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The folders of a store that a power cut does not take back. Thread-safe.
 *
 * <p>A thread that finds a folder of another one may not rely on it before its entry was synced,
 * hence the set.
 */
final class DurableFolders {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path root;
  private final Set<Path> durable = ConcurrentHashMap.newKeySet();

  DurableFolders(Path root) {
    this.root = root;
  }

  /** Creates a folder below the root, with those above it. I/O the first time. */
  void create(Path folder) throws IOException {
    if (durable.contains(folder)) {
      return;
    }
    Path parent = Objects.requireNonNull(folder.getParent());
    if (!parent.equals(root)) {
      create(parent);
    }
    try {
      Files.createDirectory(folder, OWNER_ONLY);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
    DurableFiles.sync(parent);
    durable.add(folder);
  }
}

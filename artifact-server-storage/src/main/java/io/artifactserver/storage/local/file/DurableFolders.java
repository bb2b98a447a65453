package io.artifactserver.storage.local.file;

import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
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
      Files.createDirectory(folder, DurableFiles.OWNER_ONLY_FOLDER);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
    DurableFiles.sync(parent);
    durable.add(folder);
  }
}

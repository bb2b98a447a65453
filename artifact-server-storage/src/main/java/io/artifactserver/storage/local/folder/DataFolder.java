package io.artifactserver.storage.local.folder;

import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.storage.backend.SetupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * The folder in which a server keeps its files, held by one process at a time and bound to one
 * catalog: a second writer, or the sweeper of another catalog, would destroy blobs. Thread-safe.
 */
public final class DataFolder implements AutoCloseable {
  private static final String INSTALLATION_ID = "installation-id";

  private final Path path;
  private final FolderLock lock;
  private final DiskReserve reserve;

  private DataFolder(Path path, FolderLock lock, DiskReserve reserve) {
    this.path = path;
    this.lock = lock;
    this.reserve = reserve;
  }

  /**
   * Takes the folder for this process until {@link #close()} or its end; creates it, with mode
   * 0700, if it is absent. I/O.
   *
   * @throws SetupException if another server has the folder, or it cannot be written to
   */
  public static DataFolder open(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    try {
      DurableFiles.createFolder(absolute);
      DiskReserve reserve = DiskReserve.of(absolute);
      return new DataFolder(absolute, FolderLock.take(absolute), reserve);
    } catch (FolderLock.InUseException e) {
      throw new SetupException(
          "Another artifact-server (%s) uses the data folder %s. Stop it, or give this one a folder of its own (artifact-server.data-dir)."
              .formatted(e.holder(), absolute));
    } catch (IOException e) {
      throw new SetupException(
          "The data folder %s cannot be used: %s. This process needs to read and write it."
              .formatted(absolute, e),
          e);
    }
  }

  /** The folder, absolute. */
  public Path path() {
    return path;
  }

  /** Room on its disk that uploads leave alone. */
  public DiskReserve reserve() {
    return reserve;
  }

  /**
   * Binds the folder to the catalog's installation, or checks that it is bound to it. I/O.
   *
   * @throws SetupException if the folder belongs to another catalog
   */
  public void bind(UUID installationId) {
    Path marker = path.resolve(INSTALLATION_ID);
    try {
      Optional<String> bound = read(marker);
      if (bound.isEmpty()) {
        // Whole or not at all: half an id would lock the operator out.
        DurableFiles.write(marker, StandardCharsets.US_ASCII.encode(installationId + "\n"));
      } else if (!bound.get().equals(installationId.toString())) {
        throw new SetupException(
            "The data folder %s belongs to the catalog of installation %s, but the database is that"
                    .formatted(path, bound.get())
                + " of installation %s. Serving both would delete every blob as an orphan."
                    .formatted(installationId)
                + " Start with the folder and the database that belong together; if the database was"
                + " lost and the blobs may go, start with an empty folder.");
      }
    } catch (IOException e) {
      throw new SetupException(
          "The data folder %s cannot be bound to installation %s: %s"
              .formatted(path, installationId, e),
          e);
    }
  }

  /** Lets go of the folder. May be repeated. */
  @Override
  public synchronized void close() {
    reserve.close();
    try {
      lock.close();
    } catch (IOException e) {
      throw new SetupException("The lock of %s cannot be given back: %s".formatted(path, e), e);
    }
  }

  private static Optional<String> read(Path file) throws IOException {
    try {
      return Optional.of(Files.readString(file).strip());
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }
}

package io.artifactserver.rest.access.link;

import io.artifactserver.core.access.LinkKeys;
import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.function.UnaryOperator;

/**
 * The file with the keys of signed links, for its owner alone: {@code link-keys} in the data
 * folder. It is only ever replaced whole, and changes take turns, across processes too.
 * Thread-safe.
 */
final class LinkKeyFile {
  private static final String NAME = "link-keys";

  private final Path path;

  LinkKeyFile(Path dataFolder) {
    this.path = dataFolder.resolve(NAME).toAbsolutePath().normalize();
  }

  /** Reads the keys; makes the file with one new key if there is none. */
  LinkKeys ensure(Instant now) throws IOException {
    return Files.exists(path)
        ? read()
        : exclusively(() -> Files.exists(path) ? read() : write(LinkKeys.generate(now)));
  }

  /**
   * Reads the keys.
   *
   * @throws IOException if the file cannot be read, or does not hold keys; says what to do
   */
  LinkKeys read() throws IOException {
    try {
      return LinkKeys.parse(Files.readString(path));
    } catch (NoSuchFileException e) {
      throw new IOException(
          "there is no %s; name the server's data folder with --artifact-server.data-dir"
              .formatted(path),
          e);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "%s does not hold the keys of signed links (%s); put it back from a backup, or delete it and start again to get a new key"
              .formatted(path, e.getMessage()));
    }
  }

  /** Replaces the keys, and returns the new ones. */
  LinkKeys change(UnaryOperator<LinkKeys> change) throws IOException {
    return exclusively(() -> write(change.apply(read())));
  }

  /** When the file was last replaced. */
  FileTime version() throws IOException {
    return Files.getLastModifiedTime(path);
  }

  // One process may hold a file's lock once only.
  private synchronized LinkKeys exclusively(DurableFiles.Work<LinkKeys, IOException> work)
      throws IOException {
    return DurableFiles.exclusively(path, work);
  }

  /** Durably: a revoked key must not come back with a power cut. */
  private LinkKeys write(LinkKeys keys) throws IOException {
    DurableFiles.write(path, StandardCharsets.US_ASCII.encode(keys.reveal()));
    return keys;
  }
}

package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the unfinished upload of one file to one path, so that any later process goes on with
 * it. While it is open, no other process pushes the same. Used by one thread.
 */
final class UploadState implements AutoCloseable {
  private static final int NAME_LENGTH = 32;

  private final StateFile state;
  private final @Nullable LockFile lock;
  private final Console console;

  private UploadState(StateFile state, @Nullable LockFile lock, Console console) {
    this.state = state;
    this.lock = lock;
    this.console = console;
  }

  /**
   * Without a folder that can be written to, nothing is remembered.
   *
   * @param folder made if it is missing
   */
  static UploadState open(Path folder, String server, ArtifactId id, Path file, Console console)
      throws ClientException {
    String key = String.join("\n", server, id.toString(), file.toAbsolutePath().toString());
    String name =
        Digest.of(
                DigestAlgorithm.SHA_256,
                DigestAlgorithm.SHA_256
                    .newMessageDigest()
                    .digest(key.getBytes(StandardCharsets.UTF_8)))
            .hex()
            .substring(0, NAME_LENGTH);
    StateFile state = new StateFile(folder.resolve(name + ".properties"));
    try {
      DurableFiles.createFolder(folder);
      Optional<LockFile> lock = LockFile.take(folder.resolve(name + ".lock"));
      if (lock.isPresent()) {
        return new UploadState(state, lock.get(), console);
      }
    } catch (IOException e) {
      console.note(
          "cannot remember this upload in %s: %s. If it breaks off, it will begin again"
              .formatted(folder, Remote.reason(e)));
      return new UploadState(state, null, console);
    }
    throw new ClientException(
        Reason.FAILED, "another process is pushing %s to %s".formatted(file, id));
  }

  /**
   * An upload that was begun.
   *
   * @param version of the file, which changes when the file does
   * @param sha256 of the file in hexadecimal; empty while it is computed
   * @param uploads ids at the server, of one part of the file each; empty before there are any
   */
  record Begun(String version, String sha256, List<String> uploads) {}

  /** Returns the last upload that was begun and did not end. */
  Optional<Begun> begun() {
    Properties properties = state.read();
    String version = properties.getProperty("version", "");
    String sha256 = properties.getProperty("sha256", "");
    return sha256.matches("([0-9a-f]{64})?") && !version.isEmpty()
        ? Optional.of(
            new Begun(
                version,
                sha256,
                Stream.of(properties.getProperty("uploads", "").split(",", -1))
                    .filter(Remote::isUploadId)
                    .toList()))
        : Optional.empty();
  }

  /** Says once if it cannot be remembered; the upload goes on. */
  void remember(Begun begun) {
    if (lock == null) {
      return;
    }
    try {
      state.write(
          Map.of(
              "version", begun.version(),
              "sha256", begun.sha256(),
              "uploads", String.join(",", begun.uploads())));
    } catch (IOException e) {
      console.note("cannot remember this upload: " + Remote.reason(e));
    }
  }

  /** After the end of the upload, good or bad. */
  void forget() {
    try {
      state.delete();
    } catch (IOException e) {
      console.note("cannot remove the state of this upload: " + Remote.reason(e));
    }
  }

  @Override
  public void close() {
    if (lock != null) {
      try {
        lock.close();
      } catch (IOException e) {
        console.note("cannot release a lock: " + Remote.reason(e));
      }
    }
  }
}

package io.artifactserver.storage.encrypted;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.KmsClients;
import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.storage.backend.SetupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import org.jspecify.annotations.Nullable;

/**
 * A file with a key ring, for its owner alone. Thread-safe. It is only ever replaced whole, so a
 * reader sees the ring before a change or after it; changes take turns, across processes too.
 */
record KeyRingFile(Path path, @Nullable Aead kms) {
  /**
   * Names a file; I/O only if a KMS has to be found.
   *
   * @param kmsUri of the key that encrypts the file; empty if it is plain
   */
  static KeyRingFile of(Path path, String kmsUri) {
    return new KeyRingFile(path.toAbsolutePath().normalize(), kms(kmsUri));
  }

  /** The AEAD of a KMS's key; null without a URI. */
  static @Nullable Aead kms(String uri) {
    if (uri.isEmpty()) {
      return null;
    }
    try {
      return KmsClients.get(uri).getAead(uri);
    } catch (GeneralSecurityException e) {
      throw new SetupException(
          "There is no KMS client for %s (artifact-server.encryption.kms-uri): %s. Put the Tink"
                  .formatted(uri, e.getMessage())
              + " extension of your KMS on the class path, or leave the setting out.",
          e);
    }
  }

  boolean exists() {
    return Files.exists(path);
  }

  /** The ring. */
  Keyset read() {
    try {
      return Keyset.parse(Files.readString(path), kms);
    } catch (NoSuchFileException e) {
      throw new SetupException(
          "There is no key ring %s. Put the file back from a backup; if there never was one,"
                  .formatted(path)
              + " ./artifact-server keys create makes one.",
          e);
    } catch (IOException e) {
      throw new SetupException(
          "The key ring %s cannot be read: %s. This process needs to read it."
              .formatted(path, reason(e)),
          e);
    } catch (GeneralSecurityException | RuntimeException e) {
      // The cause is left out: a parser may quote what it read.
      throw new SetupException(
          "The file %s is not a key ring (a Tink keyset as JSON%s). Put the right file back from a"
                  .formatted(path, kms == null ? "" : ", encrypted by the KMS")
              + " backup, or name it in artifact-server.encryption.key-file.");
    }
  }

  /**
   * Makes the file.
   *
   * @throws SetupException if it exists already, or cannot be written
   */
  void create(Keyset keyset) {
    exclusively(() -> {
      if (exists()) {
        throw new FileAlreadyExistsException(path.toString());
      }
      write(keyset);
      return keyset;
    });
  }

  /** Replaces the ring by a changed one, and returns that. */
  Keyset change(Change change) {
    return exclusively(() -> {
      Keyset changed = change.of(read());
      write(changed);
      return changed;
    });
  }

  private Keyset exclusively(DurableFiles.Work<Keyset, GeneralSecurityException> work) {
    try {
      return DurableFiles.exclusively(path, work);
    } catch (IOException e) {
      throw new SetupException(
          "The key ring %s cannot be written: %s.".formatted(path, reason(e)), e);
    } catch (GeneralSecurityException e) {
      throw new SetupException("The key ring %s cannot be changed.".formatted(path), e);
    }
  }

  private void write(Keyset keyset) throws IOException, GeneralSecurityException {
    DurableFiles.write(path, StandardCharsets.UTF_8.encode(keyset.serialize(kms)));
  }

  private static String reason(IOException e) {
    return e instanceof FileAlreadyExistsException
        ? "it exists already"
        : e.getClass().getSimpleName() + " (" + e.getMessage() + ')';
  }

  /** Makes a ring of another. */
  @FunctionalInterface
  interface Change {
    Keyset of(Keyset before) throws GeneralSecurityException;
  }
}

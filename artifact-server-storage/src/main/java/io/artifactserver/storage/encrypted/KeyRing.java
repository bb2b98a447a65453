package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import io.artifactserver.storage.backend.SetupException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Wraps and unwraps data keys. Thread-safe. A ring in a file may be changed by another process; the
 * change is seen by {@link #refresh}, or when a key is met that the ring did not have.
 */
public final class KeyRing {
  private final @Nullable KeyRingFile file;

  /** Held shared while a new wrapping is on its way to the database, so that no key goes then. */
  private final ReadWriteLock wrapping = new ReentrantReadWriteLock();

  private final AtomicReference<Keyset> keyset;

  private KeyRing(Keyset keyset, @Nullable KeyRingFile file) {
    this.keyset = new AtomicReference<>(keyset);
    this.file = file;
  }

  /** The ring of a file. I/O. */
  static KeyRing of(KeyRingFile file) {
    return new KeyRing(file.read(), file);
  }

  /** A ring that cannot be changed. */
  static KeyRing of(Keyset keyset) {
    return new KeyRing(keyset, null);
  }

  /** A ring with one new key, kept nowhere: for tests and benchmarks. */
  public static KeyRing ephemeral() {
    try {
      return new KeyRing(Keyset.generate(InstantSource.system().instant()), null);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java has no AES-GCM", e);
    }
  }

  Keyset keyset() {
    return keyset.get();
  }

  /** Wraps a new blob's data key with the primary key and keeps it. Asks the database. */
  void keep(String blobKey, DataKey dataKey, DataKeyStore dataKeys) {
    wrapping.readLock().lock();
    try {
      dataKeys.put(wrap(blobKey, dataKey, keyset()));
    } finally {
      wrapping.readLock().unlock();
    }
  }

  /** Wraps the data key of a blob that is not committed yet, with the primary key. */
  WrappedDataKey wrap(String blobKey, DataKey dataKey) {
    return wrap(blobKey, dataKey, keyset());
  }

  /**
   * Wraps a data key again and stores that, unless it was deleted meanwhile. Asks the database.
   *
   * @throws GeneralSecurityException if the ring lacks the key, or this is not a wrapping by it
   */
  void rewrap(WrappedDataKey before, DataKeyStore dataKeys) throws GeneralSecurityException {
    wrapping.readLock().lock();
    try (DataKey dataKey = unwrap(before)) {
      // Lost to a deletion, it needs no wrapping any more.
      var _ = dataKeys.replace(before, wrap(before.blobKey(), dataKey, keyset()));
    } finally {
      wrapping.readLock().unlock();
    }
  }

  /**
   * Unwraps a data key. The caller closes it.
   *
   * @throws GeneralSecurityException if the ring lacks the key, or this is not a wrapping by it
   */
  DataKey unwrap(WrappedDataKey wrapped) throws GeneralSecurityException {
    if (!keyset().ids().contains(wrapped.ringKeyId())) {
      refresh();
    }
    return DataKey.ofPayload(
        keyset().aead().decrypt(wrapped.wrapped(), associatedData(wrapped.blobKey())));
  }

  /**
   * Reads the file again, if there is one.
   *
   * @throws SetupException if it cannot be read; the ring stays as it was
   */
  void refresh() {
    if (file == null) {
      return;
    }
    Keyset before;
    Keyset read;
    do {
      before = keyset();
      read = file.read();
      // The file that was read may be older than one that a change has written since.
    } while (!keyset.compareAndSet(before, read));
  }

  /** Changes the file, while no wrapping is on its way to the database. */
  void change(KeyRingFile.Change change) {
    if (file == null) {
      throw new SetupException("The key ring is a setting, and not the server's to change.");
    }
    wrapping.writeLock().lock();
    try {
      keyset.set(file.change(change));
    } finally {
      wrapping.writeLock().unlock();
    }
  }

  private static WrappedDataKey wrap(String blobKey, DataKey dataKey, Keyset with) {
    byte[] payload = dataKey.toPayload();
    try {
      return new WrappedDataKey(
          blobKey, with.aead().encrypt(payload, associatedData(blobKey)), with.primary());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("A data key cannot be wrapped", e);
    } finally {
      SegmentKey.erase(payload);
    }
  }

  private static byte[] associatedData(String blobKey) {
    return blobKey.getBytes(StandardCharsets.US_ASCII);
  }
}

package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.encryption.RingKeys;
import io.artifactserver.storage.backend.SetupException;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The ring of this server and the data keys of its database. Thread-safe. */
record StoredRingKeys(KeyRing ring, DataKeyStore dataKeys, InstantSource clock)
    implements RingKeys {
  @Override
  public List<RingKey> list() {
    Map<Long, Long> counts = dataKeys.countByRingKey();
    Keyset keyset = ring.keyset();
    return keyset.ids().stream()
        .map(id ->
            new RingKey(
                id, id == keyset.primary(), keyset.created(id), counts.getOrDefault(id, 0L)))
        .toList();
  }

  @Override
  public RingKey rotate() throws RingKeyException {
    changed(before -> before.rotated(clock.instant()));
    Keyset keyset = ring.keyset();
    return new RingKey(keyset.primary(), true, keyset.created(keyset.primary()), 0);
  }

  @Override
  public void remove(long id) throws RingKeyException {
    if (!ring.keyset().ids().contains(id)) {
      throw new RingKeyException("The ring has no key %d; list the keys.".formatted(id));
    }
    try {
      changed(before -> {
        if (before.primary() == id) {
          throw new Refused("Key %d is the primary one; rotate first.".formatted(id));
        }
        // Asked while nothing is wrapped: a key that nobody needs now, nobody will need.
        long needed = dataKeys.countByRingKey().getOrDefault(id, 0L);
        if (needed > 0) {
          throw new Refused(
              "Key %d is still needed by %d data keys, which are wrapped again in the background; try"
                      .formatted(id, needed)
                  + " again in a while.");
        }
        return before.without(id);
      });
    } catch (Refused e) {
      throw new RingKeyException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public int rewrap(int batch) throws StorageException {
    ring.refresh();
    int wrapped = 0;
    List<WrappedDataKey> page = dataKeys.notWrappedBy(ring.keyset().primary(), "", batch);
    for (WrappedDataKey before : page) {
      try {
        ring.rewrap(before, dataKeys);
        wrapped++;
      } catch (GeneralSecurityException | IllegalArgumentException e) {
        Optional<WrappedDataKey> now = dataKeys.find(before.blobKey());
        if (now.isEmpty() || now.get().ringKeyId() != before.ringKeyId()) {
          // Deleted, or another server was quicker and has removed the old key.
          continue;
        }
        throw new StorageException.BlobCorrupt(
            "encrypted",
            new BlobRef(before.blobKey(), 0, true),
            "key %d of the ring does not unwrap its data key".formatted(before.ringKeyId()),
            e);
      }
    }
    return wrapped;
  }

  private void changed(KeyRingFile.Change change) throws RingKeyException {
    try {
      ring.change(change);
    } catch (SetupException e) {
      throw new RingKeyException(String.valueOf(e.getMessage()));
    }
  }

  /** Carries a refusal through the change of a file. */
  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message);
    }
  }
}

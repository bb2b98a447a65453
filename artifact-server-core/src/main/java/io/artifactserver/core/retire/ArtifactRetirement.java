package io.artifactserver.core.retire;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Removal;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ReleaseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * Use case: delete an artifact. Its name is gone at once; its blob, when no other artifact shares
 * it, goes after a grace period, so that running downloads finish. Thread-safe.
 *
 * @param channels whose releases keep their artifacts
 * @param gracePeriod how long a retired blob stays
 */
public record ArtifactRetirement(
    ArtifactCatalog catalog,
    BlobRegister register,
    BlobStores stores,
    Quota quota,
    ChannelBook channels,
    Duration gracePeriod,
    InstantSource clock) {
  private static final int BATCH = 100;

  /**
   * Deletes the artifact, unless a hold keeps it.
   *
   * @throws ReleaseException.Released if a channel points to its release
   */
  public Removal retire(ArtifactId id) throws ReleaseException.Released {
    return channels.unlessReleased(id, () -> catalog.remove(id));
  }

  /**
   * Deletes the blobs whose grace period is over. May run beside itself, in other processes too.
   *
   * @return how many were deleted
   * @throws StorageException if one could not be; it is an orphan then, and the sweeper's
   */
  public int deleteExpired() throws StorageException {
    int deleted = 0;
    List<BlobRef> expired;
    do {
      Instant before = clock.instant().minus(gracePeriod);
      expired = register.retiredBefore(before, BATCH);
      int deletedBefore = deleted;
      for (BlobRef blob : expired) {
        List<BlobRef> derived = register.derivedFrom(blob);
        // The row goes first: a crash in between leaves an orphan, never a row without bytes.
        if (register.forget(blob, before)) {
          quota.release(blob.length());
          stores.delete(blob);
          for (BlobRef each : derived) {
            stores.delete(each);
          }
          deleted++;
        }
      }
      if (deleted == deletedBefore) {
        return deleted;
      }
    } while (expired.size() == BATCH);
    return deleted;
  }
}

package io.artifactserver.core.retire;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.limit.OverQuotaException;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ReleaseException;
import java.util.Optional;

/**
 * Use case: take a deletion back, as long as the bytes are still there: for the grace period, or
 * for as long as another artifact has them. Thread-safe.
 */
public record Undeletion(ArtifactCatalog catalog, QuotaLedger quotas, ChannelBook channels) {
  /**
   * Puts back the artifact that was deleted last from a path, as one that was put now.
   *
   * @return empty if none was deleted, or its bytes are gone
   * @throws OverQuotaException if the repository has no room for it any more
   * @throws ReleaseException.Sealed if a channel serves its release, which takes no more artifacts
   */
  public Optional<Addition> undelete(ArtifactId id)
      throws OverQuotaException, ReleaseException.Sealed {
    Optional<Artifact> deleted = catalog.deleted(id);
    if (deleted.isEmpty()) {
      return Optional.empty();
    }
    try (QuotaLedger.Reservation place = quotas.reserve(id.repository(), deleted.get().length())) {
      return channels.unlessSealed(
          id,
          () ->
              place.adding(
                  () -> catalog.undelete(deleted.get()),
                  result -> result.filter(Addition.Added.class::isInstance).isPresent()));
    }
  }
}

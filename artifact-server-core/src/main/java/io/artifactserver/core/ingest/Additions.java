package io.artifactserver.core.ingest;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ReleaseException;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Adds artifacts to the catalog, where there is room, and their releases are not sealed.
 * Thread-safe; asks the database.
 *
 * @param channels whose releases may take no more artifacts
 */
record Additions(ArtifactCatalog catalog, ChannelBook channels) {
  /** Refuses an artifact that a sealed release lacks: only a look, before bytes come. */
  void requireOpen(ArtifactId id) throws IngestException.ReleaseSealed {
    try {
      boolean _ = channels.unlessSealed(id, () -> true);
    } catch (ReleaseException.Sealed e) {
      throw new IngestException.ReleaseSealed(e);
    }
  }

  /** As {@link ArtifactCatalog#share}. */
  Optional<Addition> share(IngestRequest request, Digests digests, QuotaLedger.Reservation place)
      throws IngestException.ReleaseSealed {
    return unlessSealed(
        request.id(),
        () ->
            place.adding(
                () -> catalog.share(request.id(), request.mediaType(), digests),
                result -> result.filter(Addition.Added.class::isInstance).isPresent()));
  }

  /** As {@link ArtifactCatalog#add}. */
  Addition add(IngestRequest request, BlobRef blob, Digests digests, QuotaLedger.Reservation place)
      throws IngestException.ReleaseSealed {
    return unlessSealed(
            request.id(),
            () ->
                Optional.of(
                    place.adding(
                        () -> catalog.add(request.id(), request.mediaType(), blob, digests),
                        Addition.Added.class::isInstance)))
        .orElseThrow();
  }

  /** A path that has an artifact is not added to, so its release does not change. */
  private Optional<Addition> unlessSealed(ArtifactId id, Supplier<Optional<Addition>> addition)
      throws IngestException.ReleaseSealed {
    try {
      return channels.unlessSealed(id, addition);
    } catch (ReleaseException.Sealed e) {
      Artifact existing =
          catalog.findCurrent(id).orElseThrow(() -> new IngestException.ReleaseSealed(e));
      return Optional.of(new Addition.PathTaken(existing));
    }
  }
}

package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Adds artifacts to the catalog: of bytes that a blob has already, or of a new blob. Immutable,
 * thread-safe; blocks.
 */
record JdbcAdditions(
    CatalogTransactions transactions,
    RepositoryRows repositories,
    ArtifactRows artifacts,
    BlobRows blobs,
    DigestRows blobDigests,
    UsedPathRows usedPaths,
    InstantSource clock) {
  /** As {@link ArtifactCatalog#share}. */
  Optional<Addition> share(ArtifactId id, String mediaType, Digests digests) {
    while (true) {
      switch (attempt(() -> tryShare(id, mediaType, digests))) {
        case Attempt.Decided(Addition addition) -> {
          return Optional.of(addition);
        }
        case Attempt.NoBlob _ -> {
          return Optional.empty();
        }
        case Attempt.Overtaken _ -> {}
      }
    }
  }

  /** As {@link ArtifactCatalog#add}. */
  Addition add(ArtifactId id, String mediaType, BlobRef blob, Digests digests) {
    while (true) {
      Attempt attempt = attempt(() -> tryAdd(id, mediaType, blob, digests));
      if (attempt instanceof Attempt.Decided(Addition addition)) {
        return addition;
      }
    }
  }

  /** A failed attempt means that another transaction got its way, so repeating comes to an end. */
  private Attempt attempt(Supplier<Attempt> work) {
    return transactions.write(transaction -> {
      Attempt attempt = work.get();
      if (!(attempt instanceof Attempt.Decided(Addition.Added _))) {
        // A blob taken up or inserted for an artifact that was refused must not stay.
        transaction.setRollbackOnly();
      }
      return attempt;
    });
  }

  private Attempt tryShare(ArtifactId id, String mediaType, Digests digests) {
    Optional<RepositoryRow> repository = repositories.find(id.repository());
    boolean encrypted = repository.map(row -> row.repository().encrypted()).orElse(false);
    return blobs.hasSuspect(digests.sha256(), encrypted, id)
        ? new Attempt.NoBlob()
        : tryShare(repository, id, mediaType, digests, encrypted, now());
  }

  private Attempt tryAdd(ArtifactId id, String mediaType, BlobRef blob, Digests digests) {
    Instant now = now();
    Optional<RepositoryRow> repository = repositories.find(id.repository());
    // Without effect if a blob has the bytes: the artifact shares that one.
    repository.ifPresent(_ -> blobs.insert(blob, digests.sha256(), now));
    // As the blob is, not as the repository may be by now: what came in plain while the repository
    // was told to encrypt is encrypted with the rest of it.
    return tryShare(repository, id, mediaType, digests, blob.encrypted(), now);
  }

  private Attempt tryShare(
      Optional<RepositoryRow> repository,
      ArtifactId id,
      String mediaType,
      Digests digests,
      boolean encrypted,
      Instant now) {
    if (repository.isEmpty()) {
      return new Attempt.Decided(new Addition.NoRepository());
    }
    Optional<ArtifactRows.Found> existing = artifacts.find(id);
    if (existing.isPresent()) {
      return new Attempt.Decided(new Addition.PathTaken(existing.get().artifact()));
    }
    Optional<UsedPath> used = usedForOthers(repository.get(), id, digests);
    if (used.isPresent()) {
      return new Attempt.Decided(new Addition.PathUsed(used.get()));
    }
    Optional<BlobRow> locked = blobs.lock(digests.sha256(), encrypted);
    if (locked.isEmpty()) {
      return new Attempt.NoBlob();
    }
    BlobRow blob = locked.get();
    if (blob.retired()) {
      blobs.takeUp(blob.id());
    }
    // Also of a blob that was there: its digests may date from before an algorithm was added.
    blobDigests.insert(blob.id(), digests);
    if (artifacts.insert(repository.get().id(), id.path(), blob.id(), mediaType, now) == 0) {
      return new Attempt.Overtaken();
    }
    // Others may have added and deleted here since the first look. Now nobody can: the row is ours.
    used = usedForOthers(repository.get(), id, digests);
    if (used.isPresent()) {
      return new Attempt.Decided(new Addition.PathUsed(used.get()));
    }
    return new Attempt.Decided(
        new Addition.Added(
            new Artifact(
                repository.get().repository(), id.path(), blob.ref(), mediaType, digests, now)));
  }

  /**
   * Returns the deleted artifact whose bytes are the only ones that the path takes, if others come.
   */
  private Optional<UsedPath> usedForOthers(
      RepositoryRow repository, ArtifactId id, Digests digests) {
    return repository.repository().paths().mutable()
        ? Optional.empty()
        : usedPaths.find(id).filter(used -> !used.sha256().equals(digests.sha256()));
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  /** How one transaction of {@link #share} or {@link #add} ended. */
  private sealed interface Attempt {
    record Decided(Addition addition) implements Attempt {}

    /** No blob has the bytes. */
    record NoBlob() implements Attempt {}

    /** Another transaction came in between. */
    record Overtaken() implements Attempt {}
  }
}

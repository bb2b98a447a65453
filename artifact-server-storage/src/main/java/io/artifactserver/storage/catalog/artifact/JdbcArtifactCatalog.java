package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.RepositoryChange;
import io.artifactserver.core.catalog.Support;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The catalog in PostgreSQL. Immutable, thread-safe.
 *
 * <p>A change of what a blob is used for locks the blob's row first and touches artifacts after,
 * always in this order: so an upload, a deletion and the sweeper cannot pass each other unseen, nor
 * wait for each other in a circle.
 */
public record JdbcArtifactCatalog(
    CatalogTransactions transactions,
    RepositoryRows repositoryRows,
    ArtifactRows artifacts,
    BlobRows blobs,
    DigestRows blobDigests,
    UsedPathRows usedPaths,
    InstantSource clock)
    implements ArtifactCatalog {
  @Override
  public Optional<Repository> createRepository(
      String name, boolean isPublic, boolean encrypted, PathPolicy paths) {
    Repository repository = new Repository(name, isPublic, encrypted, false, paths, now());
    int inserted = transactions.write(_ -> repositoryRows.insert(repository));
    return Optional.of(repository).filter(_ -> inserted == 1);
  }

  @Override
  public Optional<Repository> changeRepository(String name, RepositoryChange change) {
    return change(name, () -> repositoryRows.change(name, change));
  }

  private Optional<Repository> change(String name, Runnable update) {
    return isRepositoryName(name)
        ? transactions.write(_ -> {
          update.run();
          return repositoryRows.find(name).map(RepositoryRow::repository);
        })
        : Optional.empty();
  }

  @Override
  public Optional<Repository> repository(String name) {
    if (!isRepositoryName(name)) {
      return Optional.empty();
    }
    return transactions.read(() -> repositoryRows.find(name).map(RepositoryRow::repository));
  }

  @Override
  public List<Repository> repositories() {
    return transactions.read(repositoryRows::all);
  }

  @Override
  public Optional<Artifact> find(ArtifactId id) {
    return transactions.read(() -> artifacts.find(id).map(ArtifactRows.Found::artifact));
  }

  @Override
  public Optional<UsedPath> usedPath(ArtifactId id) {
    return transactions.read(() -> usedPaths.find(id));
  }

  @Override
  public Optional<Content> findContent(Digest digest) {
    return transactions.read(() -> {
      List<BlobRows.Digested> found = blobs.findUsed(digest);
      if (found.isEmpty()) {
        return Optional.empty();
      }
      // MD5 and SHA-1 can be forged: what came first keeps the name, and a caller who may read the
      // forgery gains no right to the other.
      Digest sha256 = found.getFirst().blob().sha256();
      List<BlobRows.Digested> same =
          found.stream().filter(row -> row.blob().sha256().equals(sha256)).toList();
      BlobRows.Digested served =
          same.stream()
              .filter(row -> !row.blob().ref().encrypted())
              .findFirst()
              .orElse(same.getFirst());
      Set<Repository> readers =
          artifacts.repositories(same.stream().map(row -> row.blob().id()).toList());
      if (readers.isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(
          new Content(
              served.blob().ref(), served.digests(), same.getFirst().blob().createdAt(), readers));
    });
  }

  @Override
  public List<Artifact> list(String repository, List<PathRange> ranges, String after, int limit) {
    return list(
        repository,
        ranges,
        after,
        limit,
        (range, left) -> artifacts.page(repository, range, after, left));
  }

  @Override
  public List<Artifact> listHeld(
      String repository, List<PathRange> ranges, String after, int limit) {
    return list(
        repository,
        ranges,
        after,
        limit,
        (range, left) -> artifacts.heldPage(repository, range, after, left));
  }

  @Override
  public List<Deleted> listDeleted(
      String repository, List<PathRange> ranges, String after, int limit) {
    return list(
        repository,
        ranges,
        after,
        limit,
        (range, left) -> usedPaths.page(repository, range, after, left));
  }

  private <T> List<T> list(
      String repository, List<PathRange> ranges, String after, int limit, Page<T> page) {
    PathRange.requireText(after);
    if (!isRepositoryName(repository) || limit <= 0) {
      return List.of();
    }
    return transactions.read(() -> {
      List<T> found = new ArrayList<>();
      for (PathRange range : ranges) {
        if (found.size() < limit && PathRange.BY_CODE_POINT.compare(after, range.end()) < 0) {
          found.addAll(page.read(range, limit - found.size()));
        }
      }
      return found;
    });
  }

  @Override
  public Optional<Addition> share(ArtifactId id, String mediaType, Digests digests) {
    return additions().share(id, mediaType, digests);
  }

  @Override
  public Addition add(ArtifactId id, String mediaType, BlobRef blob, Digests digests) {
    return additions().add(id, mediaType, blob, digests);
  }

  private JdbcAdditions additions() {
    return new JdbcAdditions(
        transactions, repositoryRows, artifacts, blobs, blobDigests, usedPaths, clock);
  }

  @Override
  public boolean repair(BlobRef fresh, Digests digests) {
    return transactions.write(_ -> blobs.replaceSuspect(digests.sha256(), fresh, now()) == 1);
  }

  @Override
  public Optional<Repository> encryptRepository(String name) {
    return change(name, () -> repositoryRows.encrypt(name));
  }

  @Override
  public List<PlainContent> plainInEncrypted(String after, int limit) {
    return transactions.read(() ->
        blobs.plainInEncrypted(after, limit).stream()
            .map(row -> new PlainContent(row.blob().ref(), row.digests()))
            .toList());
  }

  @Override
  public boolean moveToEncrypted(PlainContent plain, BlobRef encrypted) {
    return transactions.write(transaction -> {
      Instant now = now();
      int inserted = blobs.insert(encrypted, plain.digests().sha256(), now);
      int moved = move(plain, now);
      if (inserted == 1 && moved == 0) {
        transaction.setRollbackOnly();
      }
      return inserted == 1 && moved > 0;
    });
  }

  @Override
  public boolean shareEncrypted(PlainContent plain) {
    return transactions.write(_ -> lockEncrypted(plain).isPresent() && move(plain, now()) >= 0);
  }

  /** Returns how many artifacts refer to the encrypted blob of the same bytes now. */
  private int move(PlainContent plain, Instant now) {
    Optional<BlobRow> target = lockEncrypted(plain);
    // The rows are locked in the order of their kind by everyone who locks both.
    Optional<BlobRow> source = blobs.lock(plain.blob().key());
    if (target.isEmpty() || source.isEmpty()) {
      return 0;
    }
    if (target.get().retired()) {
      blobs.takeUp(target.get().id());
    }
    blobDigests.insert(target.get().id(), plain.digests());
    int moved = artifacts.moveToEncrypted(source.get().id(), target.get().id());
    blobs.retireUnused(source.get().id(), now);
    blobs.retireUnused(target.get().id(), now);
    return moved;
  }

  /** The encrypted blob with the same bytes, unless they are lost. */
  private Optional<BlobRow> lockEncrypted(PlainContent plain) {
    return blobs.lock(plain.digests().sha256(), true).filter(row -> !row.suspect());
  }

  @Override
  public EncryptionProgress encryptionProgress(String repository) {
    return transactions.read(() ->
        new EncryptionProgress(artifacts.count(repository), artifacts.countEncrypted(repository)));
  }

  @Override
  public Removal remove(ArtifactId id) {
    while (true) {
      Optional<Removal> removal = transactions.write(_ -> tryRemove(id));
      if (removal.isPresent()) {
        return removal.get();
      }
    }
  }

  /** Returns empty if another transaction came in between. */
  private Optional<Removal> tryRemove(ArtifactId id) {
    Optional<ArtifactRows.Found> row = artifacts.find(id);
    if (row.isEmpty()) {
      return Optional.of(new Removal.Absent());
    }
    Artifact artifact = row.get().artifact();
    if (artifact.hold() != null) {
      return Optional.of(new Removal.Held(artifact.hold()));
    }
    long blobId = row.get().blobId();
    if (!blobs.lock(blobId) || artifacts.delete(row.get().id(), blobId) == 0) {
      return Optional.empty();
    }
    Instant now = now();
    usedPaths.keep(artifact, now);
    blobs.retireUnused(blobId, now);
    return Optional.of(new Removal.Removed(artifact));
  }

  @Override
  public Optional<Artifact> deleted(ArtifactId id) {
    return transactions.read(() -> usedPaths.deleted(id));
  }

  @Override
  public Optional<Addition> undelete(Artifact deleted) {
    Optional<Addition> addition = ArtifactCatalog.super.undelete(deleted);
    @Nullable Support support = deleted.support();
    if (support == null || addition.filter(Addition.Added.class::isInstance).isEmpty()) {
      return addition;
    }
    // Without a new hold: the artifact had none when it was deleted.
    return transactions.write(_ -> {
      int _ = artifacts.support(deleted.id(), support);
      return artifacts
          .find(deleted.id())
          .<Addition>map(found -> new Addition.Added(found.artifact()))
          .or(() -> addition);
    });
  }

  @Override
  public HoldResult hold(ArtifactId id, Hold hold) {
    while (true) {
      Optional<HoldResult> result = transactions.write(_ -> tryHold(id, hold));
      if (result.isPresent()) {
        return result.get();
      }
    }
  }

  /** Returns empty if another transaction came in between. */
  private Optional<HoldResult> tryHold(ArtifactId id, Hold hold) {
    boolean isHeld = artifacts.hold(id, hold) == 1;
    Optional<Artifact> artifact = artifacts.find(id).map(ArtifactRows.Found::artifact);
    if (artifact.isEmpty()) {
      return Optional.of(new HoldResult.Absent());
    }
    if (isHeld) {
      return Optional.of(new HoldResult.Holds(artifact.get()));
    }
    return Optional.ofNullable(artifact.get().hold()).map(HoldResult.Longer::new);
  }

  @Override
  public Optional<Artifact> support(ArtifactId id, Support support) {
    return transactions.write(_ -> {
      if (artifacts.support(id, support) == 1) {
        // Without effect if there is a longer one.
        support.hold(now()).ifPresent(hold -> artifacts.hold(id, hold));
      }
      return artifacts.find(id).map(ArtifactRows.Found::artifact);
    });
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  private static boolean isRepositoryName(String name) {
    try {
      Repository.requireName(name);
      return true;
    } catch (InvalidNameException e) {
      return false;
    }
  }

  /** Reads the first rows of a range. */
  private interface Page<T> {
    List<T> read(PathRange range, int limit);
  }
}

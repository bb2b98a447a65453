package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.RepositoryChange;
import io.artifactserver.core.catalog.Support;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.storage.catalog.CatalogProperties;
import io.artifactserver.storage.catalog.LookupCache;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Remembers what was found, for a bounded time and number of entries. A miss is asked for again.
 * Thread-safe.
 *
 * <p>A change is forgotten here after its transaction, together with what a query that runs just
 * then is about to find: it may have seen the old state.
 */
public final class CachedArtifactCatalog implements ArtifactCatalog {
  /** There is one list of repositories. */
  private static final Boolean ALL = Boolean.TRUE;

  private final ArtifactCatalog catalog;
  private final LookupCache<ArtifactId, Artifact> artifacts;
  private final LookupCache<Digest, Content> contents;
  private final LookupCache<Boolean, Map<String, Repository>> repositories;

  /**
   * @param catalog that is asked for what is not cached
   * @param refreshes runs the queries that nobody waits for
   */
  public CachedArtifactCatalog(
      ArtifactCatalog catalog, CatalogProperties properties, Executor refreshes) {
    this.catalog = catalog;
    this.artifacts = new LookupCache<>(catalog::find, properties, refreshes);
    this.contents = new LookupCache<>(catalog::findContent, properties, refreshes);
    this.repositories =
        new LookupCache<>(
            key ->
                Optional.of(
                    catalog.repositories().stream()
                        .collect(Collectors.toMap(Repository::name, Function.identity()))),
            properties,
            refreshes);
  }

  @Override
  public Optional<Repository> createRepository(
      String name, boolean isPublic, boolean encrypted, PathPolicy paths) {
    try {
      return catalog.createRepository(name, isPublic, encrypted, paths);
    } finally {
      repositories.forgetAll();
    }
  }

  @Override
  public Optional<Repository> changeRepository(String name, RepositoryChange change) {
    return forgettingAll(() -> catalog.changeRepository(name, change));
  }

  @Override
  public Optional<Repository> repository(String name) {
    return catalog.repository(name);
  }

  @Override
  public List<Repository> repositories() {
    return catalog.repositories();
  }

  @Override
  public Optional<Repository> findRepository(String name, Reach reach) {
    return repositories.find(ALL, reach).map(known -> known.get(name));
  }

  @Override
  public boolean knowsAsNotPublic(String name) {
    return repositories
        .peek(ALL)
        .filter(known -> {
          Repository repository = known.get(name);
          return repository == null || !repository.isPublic();
        })
        .isPresent();
  }

  @Override
  public Optional<Artifact> find(ArtifactId id) {
    return artifacts.find(id);
  }

  @Override
  public Optional<Artifact> find(ArtifactId id, Reach reach) {
    return artifacts.find(id, reach);
  }

  @Override
  public Optional<Artifact> findCurrent(ArtifactId id) {
    return catalog.findCurrent(id);
  }

  @Override
  public Optional<UsedPath> usedPath(ArtifactId id) {
    return catalog.usedPath(id);
  }

  @Override
  public Optional<Content> findContent(Digest digest) {
    return contents.find(digest);
  }

  @Override
  public Optional<Content> findContent(Digest digest, Reach reach) {
    return contents.find(digest, reach);
  }

  @Override
  public List<Artifact> list(String repository, List<PathRange> ranges, String after, int limit) {
    return catalog.list(repository, ranges, after, limit);
  }

  @Override
  public Optional<Addition> share(ArtifactId id, String mediaType, Digests digests) {
    return forgetting(id, digests, () -> catalog.share(id, mediaType, digests));
  }

  @Override
  public Addition add(ArtifactId id, String mediaType, BlobRef blob, Digests digests) {
    return forgetting(id, digests, () -> catalog.add(id, mediaType, blob, digests));
  }

  @Override
  public boolean repair(BlobRef fresh, Digests digests) {
    boolean mayHaveChanged = true;
    try {
      mayHaveChanged = catalog.repair(fresh, digests);
      return mayHaveChanged;
    } finally {
      // Mostly there is nothing to repair.
      if (mayHaveChanged) {
        artifacts.forgetAll();
        contents.forgetAll();
      }
    }
  }

  @Override
  public Removal remove(ArtifactId id) {
    Removal removal;
    try {
      removal = catalog.remove(id);
    } catch (RuntimeException e) {
      // The transaction's outcome is unknown, and so are the digests.
      contents.forgetAll();
      throw e;
    } finally {
      artifacts.forget(id);
    }
    if (removal instanceof Removal.Removed(Artifact artifact)) {
      contents.forgetAll(artifact.digests().values().values());
    }
    return removal;
  }

  @Override
  public Optional<Artifact> deleted(ArtifactId id) {
    return catalog.deleted(id);
  }

  @Override
  public List<Deleted> listDeleted(
      String repository, List<PathRange> ranges, String after, int limit) {
    return catalog.listDeleted(repository, ranges, after, limit);
  }

  @Override
  public Optional<Addition> undelete(Artifact deleted) {
    return forgetting(deleted.id(), deleted.digests(), () -> catalog.undelete(deleted));
  }

  @Override
  public HoldResult hold(ArtifactId id, Hold hold) {
    try {
      return catalog.hold(id, hold);
    } finally {
      artifacts.forget(id);
    }
  }

  @Override
  public Optional<Artifact> support(ArtifactId id, Support support) {
    try {
      return catalog.support(id, support);
    } finally {
      artifacts.forget(id);
    }
  }

  @Override
  public List<Artifact> listHeld(
      String repository, List<PathRange> ranges, String after, int limit) {
    return catalog.listHeld(repository, ranges, after, limit);
  }

  @Override
  public Optional<Repository> encryptRepository(String name) {
    return forgettingAll(() -> catalog.encryptRepository(name));
  }

  @Override
  public List<PlainContent> plainInEncrypted(String after, int limit) {
    return catalog.plainInEncrypted(after, limit);
  }

  @Override
  public boolean moveToEncrypted(PlainContent plain, BlobRef encrypted) {
    return forgettingAll(() -> catalog.moveToEncrypted(plain, encrypted));
  }

  @Override
  public boolean shareEncrypted(PlainContent plain) {
    // Mostly there is none, and then nothing changed.
    boolean shared = catalog.shareEncrypted(plain);
    if (shared) {
      artifacts.forgetAll();
      contents.forgetAll();
    }
    return shared;
  }

  @Override
  public EncryptionProgress encryptionProgress(String repository) {
    return catalog.encryptionProgress(repository);
  }

  /** The cached artifacts and contents carry their repositories. */
  private <T> T forgettingAll(Supplier<T> change) {
    try {
      return change.get();
    } finally {
      repositories.forgetAll();
      artifacts.forgetAll();
      contents.forgetAll();
    }
  }

  private <T> T forgetting(ArtifactId id, Digests digests, Supplier<T> addition) {
    try {
      return addition.get();
    } finally {
      // Also after a failure, when the transaction's outcome is unknown.
      artifacts.forget(id);
      contents.forgetAll(digests.values().values());
    }
  }
}

package io.artifactserver.storage.catalog;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what was found, for a bounded time and number of entries. What is not found is asked
 * for again. Thread-safe.
 *
 * <p>A change is forgotten here after its transaction. The cache runs one load or invalidation of a
 * key at a time, so a load that saw the old state ends before the invalidation and is undone by it.
 */
public final class CachedArtifactCatalog implements ArtifactCatalog {
  private final ArtifactCatalog catalog;
  private final Cache<ArtifactId, @Nullable Artifact> artifacts;
  private final Cache<Digest, @Nullable Content> contents;

  /**
   * @param catalog that is asked for what is not cached
   */
  public CachedArtifactCatalog(ArtifactCatalog catalog, CatalogProperties properties) {
    this.catalog = catalog;
    this.artifacts = cache(properties);
    this.contents = cache(properties);
  }

  static <K, V> Cache<K, @Nullable V> cache(CatalogProperties properties) {
    return Caffeine.newBuilder()
        // On the caller: a hop to the common pool every few requests cost 4 KiB ranges 8 %.
        .executor(Runnable::run)
        .maximumSize(properties.cacheSize())
        .expireAfterWrite(properties.cacheTtl())
        .build();
  }

  @Override
  public Optional<Repository> createRepository(String name, boolean isPublic, boolean encrypted) {
    return catalog.createRepository(name, isPublic, encrypted);
  }

  @Override
  public Optional<Repository> redirectRepository(String name, boolean redirects) {
    return forgettingAll(() -> catalog.redirectRepository(name, redirects));
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
  public Optional<Artifact> peek(ArtifactId id) {
    return Optional.ofNullable(artifacts.getIfPresent(id));
  }

  @Override
  public Optional<Artifact> find(ArtifactId id) {
    return Optional.ofNullable(artifacts.get(id, key -> catalog.find(key).orElse(null)));
  }

  @Override
  public Optional<Content> peekContent(Digest digest) {
    return Optional.ofNullable(contents.getIfPresent(digest));
  }

  @Override
  public Optional<Content> findContent(Digest digest) {
    return Optional.ofNullable(contents.get(digest, key -> catalog.findContent(key).orElse(null)));
  }

  @Override
  public List<Artifact> list(String repository, String prefix, String after, int limit) {
    return catalog.list(repository, prefix, after, limit);
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
  public Optional<Artifact> remove(ArtifactId id) {
    Optional<Artifact> removed;
    try {
      removed = catalog.remove(id);
    } catch (RuntimeException e) {
      // The transaction's outcome is unknown, and so are the digests.
      contents.invalidateAll();
      throw e;
    } finally {
      artifacts.invalidate(id);
    }
    removed.ifPresent(artifact -> contents.invalidateAll(artifact.digests().values().values()));
    return removed;
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
      artifacts.invalidateAll();
      contents.invalidateAll();
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
      artifacts.invalidateAll();
      contents.invalidateAll();
    }
  }

  private <T> T forgetting(ArtifactId id, Digests digests, Supplier<T> addition) {
    try {
      return addition.get();
    } finally {
      // Also after a failure, when the transaction's outcome is unknown.
      artifacts.invalidate(id);
      contents.invalidateAll(digests.values().values());
    }
  }
}

package io.artifactserver.core.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import java.util.List;
import java.util.Optional;

/** A catalog in which something happens just before a row is added. Used by one thread. */
public final class FaultyArtifactCatalog implements ArtifactCatalog {
  private final ArtifactCatalog catalog;
  private Runnable beforeShare = () -> {};
  private Runnable beforeAdd = () -> {};
  private boolean blind;

  /**
   * @param catalog does the work
   */
  public FaultyArtifactCatalog(ArtifactCatalog catalog) {
    this.catalog = catalog;
  }

  /** Runs before each {@link #share}; throws to make it fail. */
  public void beforeShare(Runnable action) {
    beforeShare = action;
  }

  /** Runs before each {@link #add}; throws to make it fail. */
  public void beforeAdd(Runnable action) {
    beforeAdd = action;
  }

  /** From now on {@link #share} finds nothing, as if it always came too early. */
  public void findNothingShareable() {
    blind = true;
  }

  @Override
  public Optional<Repository> createRepository(
      String name, boolean isPublic, boolean encrypted, PathPolicy paths) {
    return catalog.createRepository(name, isPublic, encrypted, paths);
  }

  @Override
  public Optional<Repository> changeRepository(String name, RepositoryChange change) {
    return catalog.changeRepository(name, change);
  }

  @Override
  public Optional<UsedPath> usedPath(ArtifactId id) {
    return catalog.usedPath(id);
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
  public Optional<Artifact> find(ArtifactId id) {
    return catalog.find(id);
  }

  @Override
  public Optional<Content> findContent(Digest digest) {
    return catalog.findContent(digest);
  }

  @Override
  public List<Artifact> list(String repository, List<PathRange> ranges, String after, int limit) {
    return catalog.list(repository, ranges, after, limit);
  }

  @Override
  public Optional<Addition> share(ArtifactId id, String mediaType, Digests digests) {
    beforeShare.run();
    return blind ? Optional.empty() : catalog.share(id, mediaType, digests);
  }

  @Override
  public Addition add(ArtifactId id, String mediaType, BlobRef blob, Digests digests) {
    beforeAdd.run();
    return catalog.add(id, mediaType, blob, digests);
  }

  @Override
  public boolean repair(BlobRef fresh, Digests digests) {
    return catalog.repair(fresh, digests);
  }

  @Override
  public Removal remove(ArtifactId id) {
    return catalog.remove(id);
  }

  @Override
  public HoldResult hold(ArtifactId id, Hold hold) {
    return catalog.hold(id, hold);
  }

  @Override
  public Optional<Artifact> support(ArtifactId id, Support support) {
    return catalog.support(id, support);
  }

  @Override
  public List<Artifact> listHeld(
      String repository, List<PathRange> ranges, String after, int limit) {
    return catalog.listHeld(repository, ranges, after, limit);
  }

  @Override
  public Optional<Repository> encryptRepository(String name) {
    return catalog.encryptRepository(name);
  }

  @Override
  public List<PlainContent> plainInEncrypted(String after, int limit) {
    return catalog.plainInEncrypted(after, limit);
  }

  @Override
  public boolean moveToEncrypted(PlainContent plain, BlobRef encrypted) {
    return catalog.moveToEncrypted(plain, encrypted);
  }

  @Override
  public boolean shareEncrypted(PlainContent plain) {
    return catalog.shareEncrypted(plain);
  }

  @Override
  public EncryptionProgress encryptionProgress(String repository) {
    return catalog.encryptionProgress(repository);
  }
}

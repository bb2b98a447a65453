package io.artifactserver.core.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import java.util.List;
import java.util.Optional;

/**
 * Repositories, artifacts, and the blobs behind their names. Thread-safe. Every method asks the
 * database and may block, unless it is told to stay in {@linkplain Reach#MEMORY memory}; {@link
 * CatalogUnavailableException} (unchecked) says that it could not.
 */
public interface ArtifactCatalog {
  /**
   * Creates a repository.
   *
   * @return the new repository, or empty if the name is taken
   */
  Optional<Repository> createRepository(
      String name, boolean isPublic, boolean encrypted, PathPolicy paths);

  /** As the other method, with the {@linkplain PathPolicy#DEFAULT default policy}. */
  default Optional<Repository> createRepository(String name, boolean isPublic, boolean encrypted) {
    return createRepository(name, isPublic, encrypted, PathPolicy.DEFAULT);
  }

  /**
   * Changes a repository in one transaction.
   *
   * @return the repository as it is now, or empty if there is none
   */
  Optional<Repository> changeRepository(String name, RepositoryChange change);

  /** The repository of this name, if there is one. */
  Optional<Repository> repository(String name);

  /**
   * Whether all repositories are known without asking the database, and none of this name is
   * public: for strangers, who must not cost a query each. No I/O.
   */
  default boolean knowsAsNotPublic(String name) {
    return false;
  }

  /**
   * The repository of this name as far as this server knows: one that another server has made may
   * be missing for as long as the catalog is cached.
   */
  default Optional<Repository> findRepository(String name, Reach reach) {
    return reach == Reach.DATABASE ? repository(name) : Optional.empty();
  }

  /** All repositories, by name. */
  List<Repository> repositories();

  /** The artifact, if there is one. */
  Optional<Artifact> find(ArtifactId id);

  /** As the other method, as far as it may go. */
  default Optional<Artifact> find(ArtifactId id, Reach reach) {
    return reach == Reach.DATABASE ? find(id) : Optional.empty();
  }

  /**
   * As {@link #find}, never from a memory: for what is answered once and for all. Another server
   * may have changed it.
   */
  default Optional<Artifact> findCurrent(ArtifactId id) {
    return find(id);
  }

  /**
   * Returns the last artifact that was deleted from the path, if one was. It stays when the path
   * gets an artifact again, so ask for the artifact first.
   */
  Optional<UsedPath> usedPath(ArtifactId id);

  /** The content with this digest, if an artifact has it. */
  Optional<Content> findContent(Digest digest);

  /** As the other method, as far as it may go. */
  default Optional<Content> findContent(Digest digest, Reach reach) {
    return reach == Reach.DATABASE ? findContent(digest) : Optional.empty();
  }

  /**
   * As {@link #list(String, List, String, int)}, of all paths that begin with a prefix.
   *
   * @param prefix empty for all
   */
  default List<Artifact> list(String repository, String prefix, String after, int limit) {
    return list(repository, List.of(PathRange.beginningWith(prefix)), after, limit);
  }

  /**
   * A page of a repository's artifacts, by path in the order of their Unicode code points. Asks the
   * database once for each range, until the page is full.
   *
   * @param ranges every path is in one of them; in their order, and none overlaps another
   * @param after every path comes behind it; empty for the first page
   * @param limit of the page's size
   */
  List<Artifact> list(String repository, List<PathRange> ranges, String after, int limit);

  /**
   * Adds an artifact whose bytes another artifact has, or had until its blob is swept, in one short
   * transaction. It holds the blob as it is added: what the sweeper forgot is not shared, and what
   * is shared is not forgotten. Unless the repository is mutable, a path whose artifact was deleted
   * takes only the same bytes again.
   *
   * @return the addition; empty if no blob has the bytes as the repository keeps them, encrypted or
   *     not, or if it is {@linkplain BlobRegister#suspect suspect}, and the caller stores them
   */
  Optional<Addition> share(ArtifactId id, String mediaType, Digests digests);

  /**
   * Adds an artifact with a blob of its own, in one short transaction, under the same conditions as
   * {@link #share}. If another blob with the same digest came in meanwhile, the artifact refers to
   * that one: the caller compares {@link Artifact#blob()} with what it offered, and deletes its own
   * blob if it was not taken.
   *
   * @param blob just committed, and known to no one else
   */
  Addition add(ArtifactId id, String mediaType, BlobRef blob, Digests digests);

  /**
   * Puts a blob in the place of the {@linkplain BlobRegister#suspect suspect} one that has the same
   * bytes, for every artifact that refers to it. The old one is an orphan from then on. If none
   * refers to it, the new one's grace period begins.
   *
   * @param fresh just committed, and known to no one else
   * @return whether {@code fresh} was taken; if not, there is no such blob, or it is not suspect
   */
  boolean repair(BlobRef fresh, Digests digests);

  /**
   * Removes an artifact unless a hold keeps it, and keeps its digest as {@link #usedPath}. A blob
   * that no artifact refers to any more is retired, not deleted.
   */
  Removal remove(ArtifactId id);

  /**
   * Returns the artifact that was deleted last from a path, as it was but for its time, if the path
   * has none and its bytes are still there.
   */
  default Optional<Artifact> deleted(ArtifactId id) {
    return Optional.empty();
  }

  /**
   * A page of a repository's paths whose artifacts were deleted, by path in the order of their
   * Unicode code points.
   *
   * @param ranges every path is in one of them; in their order, and none overlaps another
   * @param after every path comes behind it; empty for the first page
   * @param limit of the page's size
   */
  default List<Deleted> listDeleted(
      String repository, List<PathRange> ranges, String after, int limit) {
    return List.of();
  }

  /**
   * Puts a {@linkplain #deleted deleted} artifact back, as {@link #share} adds one, with the
   * support that it had.
   */
  default Optional<Addition> undelete(Artifact deleted) {
    return share(deleted.id(), deleted.mediaType(), deleted.digests());
  }

  /**
   * Holds an artifact, in one transaction that a removal cannot pass. A hold that ends later stays
   * as it is.
   */
  HoldResult hold(ArtifactId id, Hold hold);

  /**
   * Says why an artifact was released and how long it is supported, and extends its hold to the one
   * that {@linkplain Support#hold comes with it}, in one transaction.
   *
   * @return the artifact as it is now, or empty if there is none
   */
  Optional<Artifact> support(ArtifactId id, Support support);

  /** As {@link #list(String, List, String, int)}, of the artifacts that are held now. */
  List<Artifact> listHeld(String repository, List<PathRange> ranges, String after, int limit);

  /**
   * Makes a repository encrypt: what comes in from now on, and by and by what is there. There is no
   * way back.
   *
   * @return the repository as it is now, or empty if there is none
   */
  Optional<Repository> encryptRepository(String name);

  /**
   * Plain blobs of artifacts in repositories that encrypt, by key.
   *
   * @param after every key comes behind it; empty for the first page
   * @param limit of the page's size
   */
  List<PlainContent> plainInEncrypted(String after, int limit);

  /**
   * Makes the artifacts of a plain blob, in repositories that encrypt, refer to an encrypted blob
   * with the same bytes, in one short transaction. The plain blob is retired if no artifact refers
   * to it any more.
   *
   * @param encrypted just committed, and known to no one else
   * @return whether {@code encrypted} was taken; if not, the artifacts share another one or are
   *     gone, and the caller deletes its own
   */
  boolean moveToEncrypted(PlainContent plain, BlobRef encrypted);

  /**
   * As {@link #moveToEncrypted}, if an encrypted blob that is not suspect has the bytes already.
   */
  boolean shareEncrypted(PlainContent plain);

  /** How far the encryption of a repository is. */
  EncryptionProgress encryptionProgress(String repository);

  /**
   * A blob that waits to be encrypted. Immutable.
   *
   * @param blob where the plain bytes are
   * @param digests of the plain bytes
   */
  record PlainContent(BlobRef blob, Digests digests) {}

  /**
   * Artifacts of a repository. Immutable.
   *
   * @param total all of them
   * @param encrypted those whose stored bytes are ciphertext
   */
  record EncryptionProgress(long total, long encrypted) {}

  /**
   * A path whose artifact was deleted. Immutable.
   *
   * @param used what was deleted last
   * @param hasArtifact whether the path has an artifact again
   * @param hasBytes whether the bytes are still there, and the deletion can be taken back
   */
  record Deleted(UsedPath used, boolean hasArtifact, boolean hasBytes) {}

  /** The result of {@link #share} or {@link #add}. */
  sealed interface Addition {
    /** A new row. */
    record Added(Artifact artifact) implements Addition {}

    /** The path was taken; {@code existing} may have the same or other bytes. */
    record PathTaken(Artifact existing) implements Addition {}

    /** The path had other bytes, and its repository does not let paths change. */
    record PathUsed(UsedPath used) implements Addition {}

    /** The repository was deleted or never existed. */
    record NoRepository() implements Addition {}
  }

  /** The result of {@link #remove}. */
  sealed interface Removal {
    /** The artifact is gone. */
    record Removed(Artifact artifact) implements Removal {}

    /** There was no such artifact. */
    record Absent() implements Removal {}

    /** The artifact stays until its hold ends. */
    record Held(Hold hold) implements Removal {}
  }

  /** The result of {@link #hold}. */
  sealed interface HoldResult {
    /** The artifact with its new hold. */
    record Holds(Artifact artifact) implements HoldResult {}

    /** There is no such artifact. */
    record Absent() implements HoldResult {}

    /** The artifact is held for longer. */
    record Longer(Hold hold) implements HoldResult {}
  }
}

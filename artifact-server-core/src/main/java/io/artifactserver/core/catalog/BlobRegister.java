package io.artifactserver.core.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The catalog's view of blobs, for the sweeper. Thread-safe; every method asks the database. */
public interface BlobRegister {
  /** Blobs that no artifact refers to since before {@code instant}, oldest first. */
  List<BlobRef> retiredBefore(Instant instant, int limit);

  /**
   * Forgets a blob that was retired before {@code instant}, in one transaction. It stays if an
   * artifact has taken it up since, even if it was retired again.
   *
   * @return whether it is forgotten, so that its bytes may be deleted
   */
  boolean forget(BlobRef blob, Instant instant);

  /**
   * The blobs that were derived from a blob, which the catalog forgets with it. The caller deletes
   * their bytes after those of the blob.
   */
  default List<BlobRef> derivedFrom(BlobRef blob) {
    return List.of();
  }

  /** Those of {@code keys} that the catalog knows, retired and derived ones included. */
  Set<String> known(Collection<String> keys);

  /** The blob with this SHA-256, retired or not, if the catalog knows one of the kind. */
  Optional<BlobRef> find(Digest sha256, boolean encrypted);

  /**
   * Marks a blob whose stored bytes are not what was stored. An upload of the same bytes replaces
   * it.
   *
   * @return whether the catalog knows the blob
   */
  boolean suspect(BlobRef blob);

  /** Takes the mark off a blob whose stored bytes proved right. */
  void clear(BlobRef blob);

  /**
   * Marked blobs that artifacts refer to, by key.
   *
   * @param after their keys are greater than this
   */
  List<Suspect> suspectsAfter(String after, int limit);

  /** Those of {@code keys} that are marked. */
  Set<String> suspects(Collection<String> keys);

  /** How many blobs are marked. */
  long suspectCount();

  /** The time by the database's clock, which all servers of an installation share. */
  Instant now();

  /** The sum of the lengths of all blobs, retired ones included, in bytes. */
  long storedBytes();

  /**
   * A marked blob. Immutable.
   *
   * @param sha256 of its plain bytes
   */
  record Suspect(BlobRef blob, Digest sha256) {}
}

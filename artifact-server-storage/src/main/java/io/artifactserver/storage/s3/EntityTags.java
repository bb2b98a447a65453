package io.artifactserver.storage.s3;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * The entity tags of objects that were read or written, so that later requests ask for that very
 * object. Bounded; thread-safe.
 */
final class EntityTags {
  private static final int MAX_TAGS = 100_000;

  private final Cache<String, String> tags = Caffeine.newBuilder().maximumSize(MAX_TAGS).build();

  /** The tag, or null if the object was not seen yet. */
  @Nullable String find(String key) {
    return tags.getIfPresent(key);
  }

  /**
   * An answer had this tag.
   *
   * @param tag null if the server sends none
   * @throws StorageException if an earlier answer had another one
   */
  void require(BlobRef ref, @Nullable String tag) throws StorageException {
    if (tag != null) {
      String known = tags.get(ref.key(), _ -> tag);
      if (!tag.equals(known)) {
        throw new StorageException.BlobCorrupt(
            S3BlobStore.NAME, ref, "its object was replaced since it was stored", null);
      }
    }
  }

  void forget(String key) {
    tags.invalidate(key);
  }
}

package io.artifactserver.storage.remote.s3;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
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
   * Whether an answer has the object's tag. The first answer's tag is remembered.
   *
   * @param tag null if the server sends none
   */
  boolean isKnown(String key, @Nullable String tag) {
    return tag == null || tag.equals(tags.get(key, _ -> tag));
  }

  /**
   * An object was written.
   *
   * @param tag null if the server sends none
   */
  void remember(String key, @Nullable String tag) {
    if (tag != null) {
      tags.put(key, tag);
    }
  }

  void forget(String key) {
    tags.invalidate(key);
  }
}

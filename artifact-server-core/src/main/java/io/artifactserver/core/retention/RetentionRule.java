package io.artifactserver.core.retention;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.catalog.PathRange;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which releases below a folder are kept: each folder or file directly in it is a release, as old
 * as its newest artifact. A release goes if no part of the rule keeps it. Immutable.
 *
 * @param folder as the beginning of a path, without a slash at its end; empty for all
 * @param newest how many of the newest releases are kept; null if none is kept for that
 * @param age up to which a release is kept, in whole seconds; null if none is kept for that
 */
public record RetentionRule(String folder, @Nullable Integer newest, @Nullable Duration age) {
  /**
   * @throws InvalidNameException if the folder is no path
   * @throws IllegalArgumentException if it keeps nothing, or a number is not positive
   */
  public RetentionRule {
    if (!folder.isEmpty()) {
      // A folder is a path as an artifact's is.
      var _ = new ArtifactId("any", folder);
    }
    if (newest == null && age == null) {
      throw new IllegalArgumentException("A rule says how many releases it keeps, or how long");
    }
    if ((newest != null && newest < 1) || (age != null && age.toSeconds() < 1)) {
      throw new IllegalArgumentException("A rule keeps at least 1 release, or 1 second");
    }
  }

  /** The paths below the folder. */
  PathRange range() {
    return PathRange.beginningWith(prefix());
  }

  /** Returns the release of a path below the folder. */
  String release(String path) {
    int end = path.indexOf('/', prefix().length());
    return end < 0 ? path : path.substring(0, end);
  }

  /** Whether a path can be below both folders. */
  boolean overlaps(RetentionRule other) {
    return prefix().startsWith(other.prefix()) || other.prefix().startsWith(prefix());
  }

  private String prefix() {
    return folder.isEmpty() ? "" : folder + '/';
  }
}

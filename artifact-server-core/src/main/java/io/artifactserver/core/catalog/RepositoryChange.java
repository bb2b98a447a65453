package io.artifactserver.core.catalog;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A change of a repository; null keeps a property as it is. Immutable.
 *
 * @param redirects whether devices are sent to the backend for plain bytes, where it can serve them
 * @param mutable as in {@link PathPolicy}
 * @param maxAge as in {@link PathPolicy}
 */
public record RepositoryChange(
    @Nullable Boolean redirects, @Nullable Boolean mutable, @Nullable Duration maxAge) {
  /** Whether it changes nothing. */
  public boolean isNone() {
    return redirects == null && mutable == null && maxAge == null;
  }
}

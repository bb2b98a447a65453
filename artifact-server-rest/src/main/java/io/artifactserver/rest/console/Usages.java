package io.artifactserver.rest.console;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.artifactserver.core.limit.QuotaStore;
import io.artifactserver.core.limit.RepositoryUsage;
import java.time.Duration;

/**
 * Remembers for ten seconds what repositories hold: adding one up reads all its rows. Thread-safe.
 */
final class Usages {
  private static final Duration AGE = Duration.ofSeconds(10);

  private final LoadingCache<String, RepositoryUsage> usages;

  Usages(QuotaStore store) {
    this.usages = Caffeine.newBuilder().maximumSize(1000).expireAfterWrite(AGE).build(store::usage);
  }

  /** Returns what a repository holds; asks the database now and then. */
  RepositoryUsage of(String repository) {
    return usages.get(repository);
  }
}

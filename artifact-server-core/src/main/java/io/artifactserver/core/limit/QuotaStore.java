package io.artifactserver.core.limit;

/**
 * Keeps the quotas of repositories. Thread-safe. Every method asks the database and may block;
 * {@link io.artifactserver.core.catalog.CatalogUnavailableException} says that it could not.
 */
public interface QuotaStore {
  /** Returns the quota; {@link RepositoryQuota#NONE} if there is none, or no such repository. */
  RepositoryQuota quota(String repository);

  /** Replaces the quota. Returns false if there is no such repository. */
  boolean put(String repository, RepositoryQuota quota);

  /** Adds up what the repository holds now. The cost grows with the number of its artifacts. */
  RepositoryUsage usage(String repository);
}

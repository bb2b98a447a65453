package io.artifactserver.core.limit;

/** A repository has no room for an upload. Nothing was reserved by the call that threw it. */
public final class OverQuotaException extends Exception {
  private static final long serialVersionUID = 1L;

  OverQuotaException(String repository, RepositoryQuota quota, RepositoryUsage wanted) {
    super(
        wanted.artifacts() > quota.artifacts()
            ? "The repository \"%s\" is full: it may have %d artifacts, including uploads in progress"
                .formatted(repository, quota.artifacts())
            : "The repository \"%s\" may hold %d bytes, and these would be too many"
                .formatted(repository, quota.bytes()));
  }
}

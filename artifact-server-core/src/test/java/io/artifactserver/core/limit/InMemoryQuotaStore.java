package io.artifactserver.core.limit;

import io.artifactserver.core.catalog.ArtifactCatalog;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Quotas, and usages that a test adds to. Thread-safe. */
public final class InMemoryQuotaStore implements QuotaStore {
  private final Map<String, RepositoryQuota> quotas = new ConcurrentHashMap<>();
  private final Map<String, RepositoryUsage> usages = new ConcurrentHashMap<>();
  private final AtomicInteger sums = new AtomicInteger();
  private final AtomicReference<Runnable> onAsked = new AtomicReference<>(() -> {});
  private final Optional<ArtifactCatalog> catalog;

  /** Usages are those that a test adds to. */
  public InMemoryQuotaStore() {
    catalog = Optional.empty();
  }

  /** Usages are those of the catalog. */
  public InMemoryQuotaStore(ArtifactCatalog catalog) {
    this.catalog = Optional.of(catalog);
  }

  /** Runs an action whenever a quota is asked for. */
  public void onAsked(Runnable action) {
    onAsked.set(action);
  }

  @Override
  public RepositoryQuota quota(String repository) {
    onAsked.get().run();
    return quotas.getOrDefault(repository, RepositoryQuota.NONE);
  }

  @Override
  public boolean put(String repository, RepositoryQuota quota) {
    quotas.put(repository, quota);
    return !repository.startsWith("absent");
  }

  @Override
  public RepositoryUsage usage(String repository) {
    sums.incrementAndGet();
    return catalog
        .map(names ->
            names.list(repository, "", "", Integer.MAX_VALUE).stream()
                .map(artifact -> new RepositoryUsage(artifact.length(), 1))
                .reduce(RepositoryUsage.EMPTY, RepositoryUsage::plus))
        .orElseGet(() -> usages.getOrDefault(repository, RepositoryUsage.EMPTY));
  }

  /** An artifact came in; of a negative length, one went away. */
  void add(String repository, long length) {
    usages.merge(
        repository, new RepositoryUsage(length, length < 0 ? -1 : 1), RepositoryUsage::plus);
  }

  /** How often the usage was added up. */
  int sums() {
    return sums.get();
  }
}

package io.artifactserver.core.limit;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Limits; a repository whose name begins with "absent" does not exist. Thread-safe. */
public final class InMemoryLimitStore implements LimitStore {
  private final Map<String, RepositoryLimits> limits = new ConcurrentHashMap<>();
  private final Map<String, NamedLimit> named = new ConcurrentHashMap<>();

  @Override
  public Map<String, RepositoryLimits> all() {
    return Map.copyOf(limits);
  }

  @Override
  public boolean put(String repository, RepositoryLimits changed) {
    limits.put(repository, changed);
    return !repository.startsWith("absent");
  }

  @Override
  public List<NamedLimit> named() {
    return List.copyOf(named.values());
  }

  @Override
  public void put(NamedLimit limit) {
    named.put(limit.name(), limit);
  }

  @Override
  public void delete(String name) {
    named.remove(name);
  }
}

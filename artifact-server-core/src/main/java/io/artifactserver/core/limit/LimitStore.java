package io.artifactserver.core.limit;

import java.util.List;
import java.util.Map;

/**
 * Keeps the limits of downloads. Thread-safe. Every method asks the database and may block; {@link
 * io.artifactserver.core.catalog.CatalogUnavailableException} says that it could not.
 */
public interface LimitStore {
  /** Returns the limits of every repository that has some, by its name. */
  Map<String, RepositoryLimits> all();

  /**
   * Replaces the limits; {@link RepositoryLimits#NONE} removes them. Returns false if there is no
   * such repository.
   */
  boolean put(String repository, RepositoryLimits limits);

  /** Returns every limit that has a name. */
  List<NamedLimit> named();

  /** Adds the limit, or replaces the one of the same name. */
  void put(NamedLimit limit);

  /** Removes the limit of that name, if there is one. */
  void delete(String name);
}

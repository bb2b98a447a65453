package io.artifactserver.core.retention;

import java.util.Map;
import java.util.Optional;

/** Keeps the rules of repositories. Thread-safe; every method asks the database and may block. */
public interface RetentionStore {
  /** The rules of a repository; empty if there is no such repository. */
  Optional<Stored> find(String repository);

  /**
   * Replaces the rules of a repository, which delete nothing until they are {@linkplain #activate
   * activated}.
   *
   * @return false if there is no such repository
   */
  boolean put(String repository, RetentionRules rules);

  /**
   * Lets the rules of a repository delete.
   *
   * @param rules that somebody has seen
   * @return false if the repository has others
   */
  boolean activate(String repository, RetentionRules rules);

  /** The rules that delete, by repository. */
  Map<String, RetentionRules> active();

  /**
   * The rules of a repository. Immutable.
   *
   * @param isActive whether they delete
   */
  record Stored(RetentionRules rules, boolean isActive) {}
}

package io.artifactserver.core.attachment;

import java.util.List;
import java.util.Map;

/** Keeps the keys that repositories trust. Thread-safe. Every method asks the database. */
public interface TrustedKeyStore {
  /** Returns the keys of every repository that has some, by its name; each list by name. */
  Map<String, List<TrustedKey>> all();

  /**
   * Puts these keys in the place of those of a repository.
   *
   * @return false if there is no such repository
   */
  boolean put(String repository, List<TrustedKey> keys);
}

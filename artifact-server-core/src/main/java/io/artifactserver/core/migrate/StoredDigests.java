package io.artifactserver.core.migrate;

import io.artifactserver.core.digest.Digest;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** The catalog's knowledge of stored bytes. Thread-safe. */
@FunctionalInterface
public interface StoredDigests {
  /**
   * Those of {@code keys} that the catalog knows, each with the SHA-256 of its stored bytes;
   * without it if they are ciphertext. Asks the database.
   */
  Map<String, Optional<Digest>> known(Collection<String> keys);
}

package io.artifactserver.core.webhook;

import java.util.Optional;

/**
 * Keeps the secrets that sign messages, encrypted. Thread-safe. Every method asks the database and
 * may block.
 */
public interface WebhookSecrets {
  /**
   * Makes a secret. One that no webhook refers to goes after a while.
   *
   * @return its name
   */
  String create();

  /** Returns a secret; empty if it is gone, or its key is. */
  Optional<byte[]> find(String name);
}

package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.webhook.WebhookSecrets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Secrets of webhooks as data keys: the ring wraps them, and wraps them again when it has another
 * key. Immutable, thread-safe.
 */
record RingSecrets(KeyRing ring, DataKeyStore dataKeys, SecureRandom random)
    implements WebhookSecrets {
  private static final int NAME_LENGTH = 16;

  /** A data key has one, and a secret has no use for it. */
  private static final int NO_SEGMENTS = 0;

  @Override
  public String create() {
    byte[] name = new byte[NAME_LENGTH];
    random.nextBytes(name);
    String text = HexFormat.of().formatHex(name);
    try (DataKey secret = DataKey.random(NO_SEGMENTS, random)) {
      ring.keep(text, secret, dataKeys);
    }
    return text;
  }

  @Override
  public Optional<byte[]> find(String name) {
    return dataKeys
        .find(name)
        .flatMap(wrapped -> {
          try (DataKey secret = ring.unwrap(wrapped)) {
            return Optional.of(secret.bytes().clone());
          } catch (GeneralSecurityException | IllegalArgumentException _) {
            return Optional.empty();
          }
        });
  }
}

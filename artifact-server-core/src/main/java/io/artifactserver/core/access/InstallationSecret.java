package io.artifactserver.core.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that all servers of a database share, for what one of them hands out and another checks.
 * Anyone who reads the database knows it, so nothing that it signs opens an artifact. Immutable,
 * thread-safe; never prints itself.
 */
public final class InstallationSecret {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int MIN_LENGTH = 16;

  private final byte[] secret;

  /**
   * @param secret random bytes
   */
  public InstallationSecret(byte[] secret) {
    if (secret.length < MIN_LENGTH) {
      throw new IllegalArgumentException("A secret has at least %d bytes".formatted(MIN_LENGTH));
    }
    this.secret = secret.clone();
  }

  /**
   * Signs by HMAC-SHA-256 (RFC 2104), with a key of this purpose alone.
   *
   * @param purpose the same for all that is signed for one use
   */
  public byte[] sign(String purpose, String message) {
    return hmac(hmac(secret, purpose), message);
  }

  private static byte[] hmac(byte[] key, String message) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac.doFinal(message.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java platform has " + ALGORITHM, e);
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "InstallationSecret";
  }
}

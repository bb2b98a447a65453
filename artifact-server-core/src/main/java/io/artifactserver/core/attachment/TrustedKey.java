package io.artifactserver.core.attachment;

import io.artifactserver.core.catalog.InvalidNameException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A public key whose owner vouches for releases of a repository. Immutable.
 *
 * @param name for people, unique in the repository
 * @param format of its signatures
 * @param key as the format writes it
 */
public record TrustedKey(String name, Format format, String key) {
  /** Most keys of a repository. */
  public static final int MAX_KEYS = 16;

  /** Longest key, in characters. */
  public static final int MAX_LENGTH = 16_384;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  /**
   * @throws InvalidNameException if the name has another form, or the key is too long
   */
  public TrustedKey {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidNameException(
          "A key's name has 1 to 64 ASCII letters, digits, '.', '_' and '-', and begins with a"
              + " letter or digit");
    }
    if (key.length() > MAX_LENGTH) {
      throw new InvalidNameException("A key has at most %d characters".formatted(MAX_LENGTH));
    }
  }

  /** A format of signatures that is verified here. */
  public enum Format {
    /** Ed25519, as minisign writes it. */
    MINISIGN,

    /** Cryptographic Message Syntax (RFC 5652), beside the artifact. */
    CMS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}

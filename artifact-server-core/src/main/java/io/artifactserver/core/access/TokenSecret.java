package io.artifactserver.core.access;

import io.artifactserver.core.digest.Hex;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A token as its bearer sends it: {@code as_<id>_<secret>}, 16 and 64 hexadecimal digits. Printed
 * once, when it is made. Immutable.
 */
public final class TokenSecret {
  /** Shortest secret that is taken over, in characters. */
  public static final int MIN_FOREIGN_LENGTH = 16;

  private static final String PREFIX = "as_";
  private static final int ID_LENGTH = 16;
  private static final int SECRET_LENGTH = 64;

  private final String id;
  private final String secret;

  private TokenSecret(String id, String secret) {
    this.id = id;
    this.secret = secret;
  }

  /** A new token of 256 random bits. */
  public static TokenSecret generate() {
    return new TokenSecret(Hex.random(ID_LENGTH / 2), Hex.random(SECRET_LENGTH / 2));
  }

  /** The token in {@code text}, if it has the form of one. */
  public static Optional<TokenSecret> parse(String text) {
    int separator = PREFIX.length() + ID_LENGTH;
    if (text.length() != separator + 1 + SECRET_LENGTH
        || !text.startsWith(PREFIX)
        || text.charAt(separator) != '_') {
      return Optional.empty();
    }
    String id = text.substring(PREFIX.length(), separator);
    String secret = text.substring(separator + 1);
    // The id is printed and looked up, so it has no characters but those that generate() makes.
    return Hex.isLowerCase(id) && Hex.isLowerCase(secret)
        ? Optional.of(new TokenSecret(id, secret))
        : Optional.empty();
  }

  /**
   * A token that was made elsewhere, as those of devices that another server managed before. Its id
   * is of its digest, so that it can be looked up.
   *
   * @param text at least {@value #MIN_FOREIGN_LENGTH} characters
   * @return empty if it is too short to be a secret
   */
  public static Optional<TokenSecret> foreign(String text) {
    if (text.length() < MIN_FOREIGN_LENGTH) {
      return Optional.empty();
    }
    return Optional.of(new TokenSecret(Hex.sha256("id:" + text).substring(0, ID_LENGTH), text));
  }

  /** The public part. */
  public String id() {
    return id;
  }

  /** The whole token, for its bearer's eyes only. */
  public String reveal() {
    return PREFIX + id + '_' + secret;
  }

  /** Whether this is the secret of {@code token}; takes the same time whatever differs. */
  public boolean unlocks(AccessToken token) {
    return MessageDigest.isEqual(
        digest().getBytes(StandardCharsets.US_ASCII),
        token.secretDigest().getBytes(StandardCharsets.US_ASCII));
  }

  /** By which the token is recognised. */
  public TokenDigest tokenDigest() {
    return new TokenDigest(id, digest());
  }

  /** The digest to keep of this token. */
  public AccessToken toAccessToken(
      String name, Role role, Set<String> repositories, Instant createdAt) {
    return new AccessToken(
        id,
        TokenWords.of(name),
        role,
        Scope.of(repositories),
        digest(),
        createdAt,
        AccessToken.NEVER);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return PREFIX + id + "_***";
  }

  private String digest() {
    return Hex.sha256(secret);
  }
}

package io.artifactserver.core.access;

import io.artifactserver.core.digest.Hex;
import java.time.Instant;
import java.util.Set;

/**
 * The access of a client certificate, kept as the token of its subject. Its id has a form that no
 * secret's has, so nobody can send it in place of the certificate. Immutable.
 *
 * @param subject of the certificate, or {@value #ANY}
 */
public record CertificateGrant(String subject) {
  /** Every certificate that is verified and has no grant of its own. */
  public static final String ANY = "*";

  /** The beginning of every grant's id, and of no token's. */
  public static final String PREFIX = "certificate-";

  private static final int ID_DIGITS = 32;

  /** By which the grant is looked up. */
  public String id() {
    return PREFIX + digest().substring(0, ID_DIGITS);
  }

  /** Whether the token is this subject's, and not one whose id happens to be the same. */
  public boolean unlocks(AccessToken token) {
    return digest().equals(token.secretDigest());
  }

  /** By which the grant is recognised. */
  public TokenDigest tokenDigest() {
    return new TokenDigest(id(), digest());
  }

  /** The token to keep, a device's, named by the subject. */
  public AccessToken toAccessToken(Set<String> repositories, Instant createdAt) {
    return new AccessToken(
        id(),
        TokenWords.of(subject),
        Role.DEVICE,
        Scope.of(repositories),
        digest(),
        createdAt,
        AccessToken.NEVER);
  }

  private String digest() {
    return Hex.sha256("certificate:" + subject);
  }
}

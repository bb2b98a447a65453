package io.artifactserver.core.grant;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;

/**
 * An artifact as hawkBit describes it to a device that may download it. Immutable.
 *
 * @param tenant as hawkBit's folder spells it: in upper case
 * @param fileName under which the software module has it
 * @param length in bytes
 * @param digests SHA-1 and SHA-256 are always among them
 */
public record GrantedArtifact(String tenant, String fileName, long length, Digests digests) {
  /** Longest name of a tenant that can be a folder's, in characters. */
  public static final int MAX_TENANT_LENGTH = 128;

  /**
   * @throws IllegalArgumentException if the length is negative, SHA-1 is missing, or the tenant
   *     cannot name a folder
   */
  public GrantedArtifact {
    if (length < 0 || digests.get(DigestAlgorithm.SHA_1).isEmpty()) {
      throw new IllegalArgumentException(
          "\"%s\" of length %d, with %s".formatted(fileName, length, digests));
    }
    if (!isTenant(tenant)) {
      throw new IllegalArgumentException("Not a tenant's name: \"" + tenant + '"');
    }
  }

  /** Under this digest hawkBit's folder has the file. */
  public Digest sha1() {
    return digests.get(DigestAlgorithm.SHA_1).orElseThrow();
  }

  /** Whether a text can name a tenant and its folder: letters, digits, and inside also . _ - */
  public static boolean isTenant(String text) {
    if (text.isEmpty() || text.length() > MAX_TENANT_LENGTH) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean alphanumeric =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!alphanumeric && c != '_' && (i == 0 || (c != '.' && c != '-'))) {
        return false;
      }
    }
    return true;
  }
}

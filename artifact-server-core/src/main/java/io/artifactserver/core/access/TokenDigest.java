package io.artifactserver.core.access;

import io.artifactserver.core.digest.DigestAlgorithm;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The id of a token and the digest of its secret. Immutable.
 *
 * @param id the public part
 * @param secretDigest as in {@link AccessToken}
 */
public record TokenDigest(String id, String secretDigest) {
  /**
   * Returns 64 bits of a SHA-256 over both parts, enough to tell a good secret from a wrong one in
   * memory. A good token does not help to compute an id under which another secret looks good.
   */
  public long fingerprint() {
    byte[] both = (id + ':' + secretDigest).getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.wrap(DigestAlgorithm.SHA_256.newMessageDigest().digest(both)).getLong();
  }

  /** Without the digest. */
  @Override
  public String toString() {
    return "TokenDigest[" + id + "]";
  }
}

package io.artifactserver.core.digest;

import java.util.Base64;
import java.util.HexFormat;

/**
 * A digest over the plain bytes of an artifact. Immutable.
 *
 * @param algorithm that computed it
 * @param hex its value in lower-case hexadecimal
 */
public record Digest(DigestAlgorithm algorithm, String hex) {
  /**
   * @throws IllegalArgumentException if {@code hex} is not a lower-case hexadecimal number of the
   *     algorithm's length
   */
  public Digest {
    if (hex.length() != 2 * algorithm.length() || !Hex.isLowerCase(hex)) {
      throw new IllegalArgumentException(
          "%s takes %d lower-case hexadecimal digits, not \"%s\""
              .formatted(algorithm.standardName(), 2 * algorithm.length(), hex));
    }
  }

  /**
   * @throws IllegalArgumentException if {@code value} has not the algorithm's length
   */
  public static Digest of(DigestAlgorithm algorithm, byte[] value) {
    return new Digest(algorithm, HexFormat.of().formatHex(value));
  }

  /** The value's bytes; a fresh array. */
  public byte[] bytes() {
    return HexFormat.of().parseHex(hex);
  }

  /** The value in standard Base64, as RFC 9530 fields carry it. */
  public String base64() {
    return Base64.getEncoder().encodeToString(bytes());
  }

  @Override
  public String toString() {
    return algorithm.id() + ":" + hex;
  }
}

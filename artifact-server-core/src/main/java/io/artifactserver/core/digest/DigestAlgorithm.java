package io.artifactserver.core.digest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The digests computed of every artifact. A new one is one constant here. */
public enum DigestAlgorithm {
  /** RFC 1321. Broken; kept because devices and hawkBit clients still compare it. */
  MD5("MD5", "md5", 16),
  /** RFC 3174. Broken; kept because hawkBit addresses artifacts by it. */
  SHA_1("SHA-1", "sha1", 20),
  /** FIPS 180-4. Identifies content here: entity tags and content-addressed URLs. */
  SHA_256("SHA-256", "sha256", 32),
  /** FIPS 180-4. */
  SHA_512("SHA-512", "sha512", 64);

  private final String standardName;
  private final String id;
  private final int length;

  /** Never fed, so that any thread may copy it. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final MessageDigest prototype;

  DigestAlgorithm(String standardName, String id, int length) {
    this.standardName = standardName;
    this.id = id;
    this.length = length;
    try {
      this.prototype = MessageDigest.getInstance(standardName);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This Java runtime lacks " + standardName, e);
    }
  }

  /** The Java security name, such as {@code SHA-256}. */
  public String standardName() {
    return standardName;
  }

  /** The short name in JSON, URLs and file suffixes, such as {@code sha256}. */
  public String id() {
    return id;
  }

  /** The key in RFC 9530 fields, such as {@code sha-256}. */
  public String fieldKey() {
    return this == SHA_1 ? "sha" : standardName.toLowerCase(Locale.ROOT);
  }

  /** Length of a digest in bytes. */
  public int length() {
    return length;
  }

  /**
   * A fresh message digest for one thread. A copy: looking the algorithm up among the providers
   * took a fortieth of a request with a token.
   */
  public MessageDigest newMessageDigest() {
    try {
      return (MessageDigest) prototype.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(
          "The provider of %s, %s, cannot copy it".formatted(standardName, prototype.getProvider()),
          e);
    }
  }

  /** The algorithm with this {@link #id()}, if there is one. */
  public static Optional<DigestAlgorithm> ofId(String id) {
    return Arrays.stream(values()).filter(algorithm -> algorithm.id.equals(id)).findFirst();
  }

  /** The algorithm with this {@link #fieldKey()}, case-insensitive, if there is one. */
  public static Optional<DigestAlgorithm> ofFieldKey(String key) {
    return Arrays.stream(values())
        .filter(algorithm -> algorithm.fieldKey().equalsIgnoreCase(key))
        .findFirst();
  }
}

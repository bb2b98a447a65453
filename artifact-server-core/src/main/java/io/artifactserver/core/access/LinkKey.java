package io.artifactserver.core.access;

import io.artifactserver.core.digest.Hex;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key that signs links by HMAC-SHA-256 (RFC 2104). Immutable, thread-safe; never prints itself.
 */
public final class LinkKey {
  private static final String ALGORITHM = "HmacSHA256";
  private static final String VERSION = "artifact-server-link-v1";
  private static final int ID_LENGTH = 4;
  private static final int SECRET_LENGTH = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String id;
  private final SecretKeySpec secret;
  private final Instant created;

  private LinkKey(String id, byte[] secret, Instant created) {
    this.id = id;
    this.secret = new SecretKeySpec(secret, ALGORITHM);
    this.created = created;
  }

  /** A new key of 256 random bits. */
  static LinkKey generate(Instant now) {
    byte[] secret = new byte[SECRET_LENGTH];
    RANDOM.nextBytes(secret);
    return new LinkKey(Hex.random(ID_LENGTH), secret, now.truncatedTo(ChronoUnit.SECONDS));
  }

  /**
   * A key as {@link #reveal} wrote it.
   *
   * @throws IllegalArgumentException if the line is not one; the message does not quote it
   */
  static LinkKey parse(String line) {
    if (!line.matches("[0-9a-f]{8} [0-9a-f]{64} [0-9TZ:-]{20}")) {
      throw new IllegalArgumentException("a line is an id, a secret and a time");
    }
    String[] words = line.split(" ", -1);
    return new LinkKey(words[0], HexFormat.of().parseHex(words[1]), Instant.parse(words[2]));
  }

  /** By which a link names the key. */
  public String id() {
    return id;
  }

  /** When the key was made. */
  public Instant created() {
    return created;
  }

  /** Signs: returns the link's query, signature included. */
  public String sign(LinkTerms terms) {
    String query = terms.query(id);
    return query + SignedLink.SIGNATURE + signature(terms, query);
  }

  /** Whether this key signed the terms; takes the same time whatever differs. */
  boolean signed(LinkTerms terms, String signature) {
    // As text: in base64, two texts may stand for the same bytes, and only one of them is ours.
    return MessageDigest.isEqual(
        signature(terms, terms.query(id)).getBytes(StandardCharsets.US_ASCII),
        signature.getBytes(StandardCharsets.US_ASCII));
  }

  private String signature(LinkTerms terms, String query) {
    String canonical =
        VERSION
            + '\n'
            + terms.artifact().repository()
            + '\n'
            + terms.artifact().path()
            + '\n'
            + query;
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(mac.doFinal(canonical.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java platform has " + ALGORITHM, e);
    }
  }

  /** The key as a line of its file, for its owner's eyes only. */
  String reveal() {
    return "%s %s %s".formatted(id, HexFormat.of().formatHex(secret.getEncoded()), created);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "LinkKey[" + id + "]";
  }
}

package io.artifactserver.core.digest;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Lower-case hexadecimal text, the form that names and keys have here. */
public final class Hex {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Hex() {}

  /** So many random bytes, in two digits each. */
  public static String random(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** The SHA-256 of a text in UTF-8. */
  public static String sha256(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(DigestAlgorithm.SHA_256.newMessageDigest().digest(bytes));
  }

  /** Whether there is nothing in {@code text} but 0-9 and a-f. */
  public static boolean isLowerCase(String text) {
    // Every download asks several times: a stream took a twentieth of a request for 4 KiB.
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }
}

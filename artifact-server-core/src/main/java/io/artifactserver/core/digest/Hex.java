package io.artifactserver.core.digest;

/** The form of hexadecimal text that names and keys have here. */
public final class Hex {
  private Hex() {}

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

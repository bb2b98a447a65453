package io.artifactserver.rest.http;

import java.nio.charset.StandardCharsets;

/** Values of the Content-Disposition field (RFC 6266). */
public final class ContentDisposition {
  /** What may stand unencoded in an ext-value (RFC 8187, section 3.2.1, attr-char). */
  private static final String ATTRIBUTE_SPECIALS = "!#$&+-.^_`|~";

  private ContentDisposition() {}

  /**
   * Tells a browser to save the bytes under a name. A name beyond ASCII is given twice:
   * approximated for old clients, and exactly as {@code filename*} (RFC 8187).
   *
   * @param fileName without a slash
   */
  public static String attachment(String fileName) {
    StringBuilder quoted = new StringBuilder(fileName.length() + 2);
    StringBuilder extended = new StringBuilder("UTF-8''");
    boolean exact = true;
    for (int i = 0; i < fileName.length(); i++) {
      char c = fileName.charAt(i);
      // '%' is ambiguous in a quoted file name: some clients decode it (RFC 6266, appendix D).
      boolean plain = c >= 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '%';
      exact &= plain;
      quoted.append(plain ? c : '_');
    }
    if (exact) {
      return "attachment; filename=\"" + quoted + '"';
    }
    for (byte b : fileName.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xFF);
      boolean alphanumeric =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (alphanumeric || ATTRIBUTE_SPECIALS.indexOf(c) >= 0) {
        extended.append(c);
      } else {
        extended.append('%').append("%02X".formatted((int) c));
      }
    }
    return "attachment; filename=\"" + quoted + "\"; filename*=" + extended;
  }
}

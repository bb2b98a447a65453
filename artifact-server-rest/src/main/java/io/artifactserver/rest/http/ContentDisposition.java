package io.artifactserver.rest.http;

/** Values of the Content-Disposition field (RFC 6266). */
public final class ContentDisposition {
  /** Characters that stand unencoded in an ext-value (RFC 8187, section 3.2.1, attr-char). */
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
    return "attachment; filename=\"%s\"; filename*=UTF-8''%s"
        .formatted(quoted, RequestPath.encode(fileName, ATTRIBUTE_SPECIALS));
  }
}

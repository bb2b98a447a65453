package io.artifactserver.rest.http;

import io.artifactserver.core.catalog.InvalidNameException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Names in the path of a request target: percent-encoded UTF-8 (RFC 3986, section 2.1). */
public final class RequestPath {
  private static final String UNRESERVED_AND_SLASH = "-._~/!$'()*,:@";

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private RequestPath() {}

  /**
   * Decodes a raw path, all of it once.
   *
   * @throws InvalidNameException if a percent sign is not followed by two hexadecimal digits, the
   *     bytes are not UTF-8, or a slash is encoded, which would make two names of one
   */
  public static String decode(String rawPath) {
    if (rawPath.indexOf('%') < 0 && isAscii(rawPath)) {
      return rawPath;
    }
    ByteBuffer bytes = ByteBuffer.allocate(rawPath.length());
    for (int i = 0; i < rawPath.length(); i++) {
      char c = rawPath.charAt(i);
      if (c > 0x7E) {
        throw new InvalidNameException(
            "Characters beyond ASCII are percent-encoded in a path, as UTF-8");
      }
      if (c != '%') {
        bytes.put((byte) c);
        continue;
      }
      int value = i + 2 < rawPath.length() ? hexPair(rawPath, i + 1) : -1;
      if (value < 0) {
        throw new InvalidNameException(
            "A '%' in a path is followed by two hexadecimal digits; write '%25' for itself");
      }
      if (value == '/') {
        throw new InvalidNameException("A slash in a path is not percent-encoded");
      }
      bytes.put((byte) value);
      i += 2;
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
    } catch (CharacterCodingException e) {
      throw new InvalidNameException("The percent-encoded bytes of a path are not UTF-8");
    }
  }

  /** Encodes a decoded path; the slashes stay. */
  public static String encode(String path) {
    return encode(path, UNRESERVED_AND_SLASH);
  }

  /** Encodes all but ASCII letters, digits and {@code plain}. */
  static String encode(String text, String plain) {
    StringBuilder encoded = new StringBuilder(text.length() + 16);
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xFF);
      boolean alphanumeric =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (alphanumeric || plain.indexOf(c) >= 0) {
        encoded.append(c);
      } else {
        encoded.append('%').append(HEX.toHexDigits(b));
      }
    }
    return encoded.toString();
  }

  private static int hexPair(String text, int i) {
    // Not Character.digit, for which the digits of every script are digits.
    return HexFormat.isHexDigit(text.charAt(i)) && HexFormat.isHexDigit(text.charAt(i + 1))
        ? HexFormat.fromHexDigits(text, i, i + 2)
        : -1;
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 0x7E) {
        return false;
      }
    }
    return true;
  }
}

package io.artifactserver.rest.endtoend;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Fields of a request of HTTP/2 as HPACK (RFC 7541), without Huffman coding. */
final class HeaderBlock {
  private HeaderBlock() {}

  /** Literal fields that are not indexed (RFC 7541, section 6.2.2). */
  static byte[] of(String scheme, String method, String path, List<String> fields) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    literal(block, ":method", method);
    if (method.equals("CONNECT")) {
      // RFC 9113, section 8.5: the target is the authority, and there is no other.
      literal(block, ":authority", path);
    } else {
      literal(block, ":scheme", scheme);
      literal(block, ":authority", "device");
      literal(block, ":path", path);
    }
    for (String field : fields) {
      int colon = field.indexOf(':');
      literal(
          block,
          field.substring(0, colon).toLowerCase(Locale.ROOT),
          field.substring(colon + 1).strip());
    }
    return block.toByteArray();
  }

  /** One literal field that the server is to remember (RFC 7541, section 6.2.1). */
  static byte[] indexed(String name, String value) {
    ByteArrayOutputStream field = new ByteArrayOutputStream();
    field.write(0x40);
    string(field, name);
    string(field, value);
    return field.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    string(block, name);
    string(block, value);
  }

  private static void string(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int length = bytes.length;
    if (length < 127) {
      block.write(length);
    } else {
      block.write(127);
      for (length -= 127; length >= 128; length >>>= 7) {
        block.write((length & 0x7f) | 0x80);
      }
      block.write(length);
    }
    block.writeBytes(bytes);
  }
}

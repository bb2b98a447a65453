package io.artifactserver.rest.http;

import io.artifactserver.core.range.ByteRange;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/**
 * The framing of a multipart/byteranges body (RFC 9110, section 14.6): parts in request order,
 * nothing merged, a CRLF before the first boundary (zsync and zchunk look for one), and a length
 * known beforehand. Produced part by part. Immutable.
 */
public final class MultipartByteRanges {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String boundary;
  private final String partHeaderStart;
  private final long completeLength;
  private final List<ByteRange> ranges;

  /**
   * Frames ranges with a fresh random boundary.
   *
   * @param ranges not empty ranges of the representation
   * @param mediaType of the representation
   * @param completeLength of the representation in bytes
   */
  public MultipartByteRanges(List<ByteRange> ranges, String mediaType, long completeLength) {
    byte[] random = new byte[16];
    RANDOM.nextBytes(random);
    this.boundary = HexFormat.of().formatHex(random);
    this.partHeaderStart =
        "\r\n--" + boundary + "\r\nContent-Type: " + mediaType + "\r\nContent-Range: ";
    this.completeLength = completeLength;
    this.ranges = List.copyOf(ranges);
  }

  /** The value of the response's Content-Type field. */
  public String contentType() {
    return "multipart/byteranges; boundary=" + boundary;
  }

  /** The ranges, in request order. */
  public List<ByteRange> ranges() {
    return ranges;
  }

  /** Returns the delimiter and the fields before the bytes of a part. */
  public byte[] partHeader(int part) {
    return ascii(partHeaderStart + contentRange(part) + "\r\n\r\n");
  }

  /** Returns the delimiter behind the last part. */
  public byte[] closing() {
    return ascii(closingText());
  }

  /** Length of the whole body in bytes. */
  public long length() {
    long length = closingText().length();
    for (int part = 0; part < ranges.size(); part++) {
      length += partHeaderStart.length() + contentRange(part).length() + 4;
      length += ranges.get(part).length();
    }
    return length;
  }

  private String contentRange(int part) {
    return ContentRange.of(ranges.get(part), completeLength);
  }

  private String closingText() {
    return "\r\n--" + boundary + "--\r\n";
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}

package io.artifactserver.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.range.ByteRange;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** RFC 9110, section 14.6, and what zsync and zchunk need of it. */
class MultipartByteRangesTest {
  private final MultipartByteRanges multipart =
      new MultipartByteRanges(
          List.of(new ByteRange(5, 3), new ByteRange(0, 1)), "application/x-raucb", 100);

  @Test
  void bodyIsFramedInRequestOrderAfterACrLf() {
    String boundary = multipart.contentType().replace("multipart/byteranges; boundary=", "");
    assertThat(boundary).hasSize(32);
    assertThat(body())
        .isEqualTo(
            """

            --B
            Content-Type: application/x-raucb
            Content-Range: bytes 5-7/100

            567
            --B
            Content-Type: application/x-raucb
            Content-Range: bytes 0-0/100

            0
            --B--
            """
                .replace("--B", "--" + boundary)
                .replace("\n", "\r\n"));
  }

  @Test
  void lengthIsKnownBeforehand() {
    assertThat(multipart.length()).isEqualTo(body().length());
  }

  @Test
  void boundaryIsFresh() {
    MultipartByteRanges other =
        new MultipartByteRanges(multipart.ranges(), "application/x-raucb", 100);
    assertThat(other.contentType()).isNotEqualTo(multipart.contentType());
  }

  private String body() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int part = 0; part < multipart.ranges().size(); part++) {
      out.writeBytes(multipart.partHeader(part));
      ByteRange range = multipart.ranges().get(part);
      for (long position = range.position(); position < range.end(); position++) {
        out.write('0' + (int) (position % 10));
      }
    }
    out.writeBytes(multipart.closing());
    return out.toString(StandardCharsets.US_ASCII);
  }
}

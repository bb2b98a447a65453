package io.artifactserver.rest.delivery.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.http.MultipartByteRanges;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class BodyPartTest {
  private static final List<ByteRange> RANGES =
      List.of(new ByteRange(50, 10), new ByteRange(0, 1), new ByteRange(50, 10));

  @Test
  void plainBodyIsOnePart() {
    Iterator<BodyPart> parts = BodyPart.of(RANGES.getFirst());
    assertThat(parts.next()).isEqualTo(new BodyPart.Stored(RANGES.getFirst()));
    assertThat(parts.hasNext()).isFalse();
  }

  @Test
  void multipartBodyAlternatesAndEndsWithFraming() {
    MultipartByteRanges multipart = new MultipartByteRanges(RANGES, "application/x", 100);
    List<BodyPart> expected = new ArrayList<>();
    for (int part = 0; part < RANGES.size(); part++) {
      expected.add(new BodyPart.Framing(ByteBuffer.wrap(multipart.partHeader(part))));
      expected.add(new BodyPart.Stored(RANGES.get(part)));
    }
    expected.add(new BodyPart.Framing(ByteBuffer.wrap(multipart.closing())));
    Iterator<BodyPart> parts = BodyPart.of(multipart);
    assertThat(parts).toIterable().containsExactlyElementsOf(expected);
    assertThatThrownBy(parts::next).isInstanceOf(NoSuchElementException.class);
  }
}

package io.artifactserver.rest.delivery.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.http.MultipartByteRanges;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Bodies put together plainly, to compare with those that were sent. */
final class ExpectedBody {
  private ExpectedBody() {}

  /** The pieces of a multipart body, one after the other. */
  static byte[] of(MultipartByteRanges multipart, byte[] content) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int part = 0; part < multipart.ranges().size(); part++) {
      ByteRange range = multipart.ranges().get(part);
      body.writeBytes(multipart.partHeader(part));
      body.write(content, (int) range.position(), (int) range.length());
    }
    body.writeBytes(multipart.closing());
    assertThat(body.size()).isEqualTo((int) multipart.length());
    return body.toByteArray();
  }

  /** Takes a body as a transfer does. */
  static byte[] drain(BodySource body) throws StorageException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (body.hasNext()) {
      if (!body.isReady()) {
        body.prepare();
        assertThat(body.isReady()).isTrue();
      }
      ByteBuffer piece = body.next(Throttle.ANY);
      assertThat(piece.hasRemaining()).isTrue();
      byte[] copy = new byte[piece.remaining()];
      piece.get(copy);
      bytes.writeBytes(copy);
    }
    return bytes.toByteArray();
  }

  /** Ranges on both sides of every limit of the sources, in any order, overlapping or not. */
  static List<ByteRange> ranges(RandomGenerator random, int contentLength) {
    int[] lengths = {
      1, 2, 100, 1000, 20_000, 32_767, 32_768, 32_769, 65_000, 65_536, 65_537, 200_000
    };
    List<ByteRange> ranges = new ArrayList<>();
    for (int count = random.nextInt(2, 40); count > 0; count--) {
      int length = Math.min(lengths[random.nextInt(lengths.length)], contentLength);
      ranges.add(new ByteRange(random.nextInt(contentLength - length + 1), length));
    }
    return ranges;
  }
}

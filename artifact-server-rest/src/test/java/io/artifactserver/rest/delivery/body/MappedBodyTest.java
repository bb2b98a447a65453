package io.artifactserver.rest.delivery.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.http.MultipartByteRanges;
import io.artifactserver.rest.server.engine.FileSender;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MappedBodyTest {
  private static final int LENGTH = 10 * 1024 * 1024 + 3;
  private static final byte[] CONTENT = new byte[LENGTH];

  static {
    new Random(7).nextBytes(CONTENT);
  }

  private final ColdRegion region = new ColdRegion(CONTENT);
  private final CountingPool pool = new CountingPool();

  @ParameterizedTest
  @ValueSource(
      ints = {
        1,
        MappedBody.COLD_SLICE - 1,
        MappedBody.COLD_SLICE,
        MappedBody.COLD_SLICE + 1,
        MappedBody.MAX_SLICE,
        MappedBody.MAX_SLICE + 1,
        2 * MappedBody.MAX_SLICE + 5
      })
  void coldRangeIsLoadedPieceByPiece(int length) throws StorageException {
    ByteRange range = new ByteRange(LENGTH - length, length);
    ColdRegion part = new ColdRegion(slice(range));
    try (BodySource body =
        new MappedBody(part, range.position(), BodyPart.of(range), pool, FileSender.NONE)) {
      assertThat(body.isReady()).isFalse();
      assertThat(ExpectedBody.drain(body)).isEqualTo(slice(range));
    }
    assertThat(part.loads())
        .allMatch(load -> load.length() <= MappedBody.COLD_SLICE)
        .hasSize((length + MappedBody.COLD_SLICE - 1) / MappedBody.COLD_SLICE);
    requireAllGivenBack(part);
    assertThat(pool.acquired()).as("buffers of a plain range").isZero();
  }

  @Test
  void warmRangeGoesOutInLargeSlicesAndIsNeverLoaded() throws StorageException {
    region.warm(0, LENGTH);
    ByteRange range = ByteRange.whole(LENGTH);
    try (BodySource body = new MappedBody(region, 0, BodyPart.of(range), pool, FileSender.NONE)) {
      assertThat(body.isReady()).isTrue();
      assertThat(body.next(Throttle.ANY).remaining()).isEqualTo(MappedBody.MAX_SLICE);
      assertThat(ExpectedBody.drain(body)).hasSize(LENGTH - MappedBody.MAX_SLICE);
    }
    assertThat(region.loads()).isEmpty();
    requireAllGivenBack(region);
  }

  @Test
  void onlyALongSliceIsLeftToTheKernel() throws StorageException {
    assertThat(leftToTheKernel(MappedBody.MIN_SENDFILE - 1)).isEmpty();
    assertThat(leftToTheKernel(MappedBody.MIN_SENDFILE)).containsExactly(MappedBody.MIN_SENDFILE);
  }

  /** Lengths of what the connection was told to send from the file, for one range. */
  private List<Integer> leftToTheKernel(int length) throws StorageException {
    List<Integer> left = new ArrayList<>();
    FileSender sender =
        new FileSender() {
          @Override
          public void next(FileRegion file, long offset, ByteBuffer view) {
            left.add(view.remaining());
          }

          @Override
          public void forget() {}
        };
    ByteRange range = new ByteRange(5, length);
    ColdRegion warm = new ColdRegion(CONTENT);
    warm.warm(0, LENGTH);
    try (BodySource body = new MappedBody(warm, 0, BodyPart.of(range), pool, sender)) {
      assertThat(ExpectedBody.drain(body)).isEqualTo(slice(range));
    }
    return left;
  }

  @Test
  void slowConnectionGetsSlicesThatAreCheckedSoonBeforeTheyAreSent() throws StorageException {
    region.warm(0, LENGTH);
    try (BodySource body =
        new MappedBody(region, 0, BodyPart.of(ByteRange.whole(LENGTH)), pool, FileSender.NONE)) {
      assertThat(body.next(Throttle.ANY).remaining()).isEqualTo(MappedBody.MAX_SLICE);
      body.slowDown();
      assertThat(body.next(Throttle.ANY).remaining()).isEqualTo(MappedBody.SLOW_SLICE);
      assertThat(ExpectedBody.drain(body))
          .isEqualTo(
              Arrays.copyOfRange(CONTENT, MappedBody.MAX_SLICE + MappedBody.SLOW_SLICE, LENGTH));
    }
    requireAllGivenBack(region);
  }

  /** Cold, warm in places, and warm: the bytes are the same, and in request order. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void partsOfAllSizes(long seed) throws StorageException {
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      ColdRegion partlyWarm = new ColdRegion(CONTENT);
      CountingPool buffers = new CountingPool();
      for (int i = random.nextInt(4); i > 0; i--) {
        partlyWarm.warm(random.nextInt(LENGTH / 2), LENGTH / 2);
      }
      MultipartByteRanges multipart =
          new MultipartByteRanges(
              ExpectedBody.ranges(random, LENGTH), "application/octet-stream", LENGTH);
      try (BodySource body =
          new MappedBody(partlyWarm, 0, BodyPart.of(multipart), buffers, FileSender.NONE)) {
        assertThat(body.isReady()).as("framing comes first").isTrue();
        assertThat(ExpectedBody.drain(body)).isEqualTo(ExpectedBody.of(multipart, CONTENT));
      }
      requireAllGivenBack(partlyWarm);
      assertThat(buffers.acquired()).isEqualTo(1);
      assertThat(buffers.released()).isEqualTo(1);
    }
  }

  /** zchunk's request: a piece a part would be a packet a part. */
  @Test
  void smallWarmPartsAreGathered() throws StorageException {
    region.warm(0, LENGTH);
    List<ByteRange> ranges =
        IntStream.range(0, 167).mapToObj(i -> new ByteRange(i * 1000L, 200)).toList();
    MultipartByteRanges multipart = new MultipartByteRanges(ranges, "application/x", LENGTH);
    int pieces = 0;
    try (BodySource body =
        new MappedBody(region, 0, BodyPart.of(multipart), pool, FileSender.NONE)) {
      for (; body.hasNext(); pieces++) {
        assertThat(body.isReady()).isTrue();
        body.next(Throttle.ANY);
      }
    }
    assertThat(pieces).isEqualTo((int) (multipart.length() / (64 * 1024)) + 1);
  }

  @Test
  void abortedBodyGivesEverythingBack() throws StorageException {
    MultipartByteRanges multipart =
        new MultipartByteRanges(
            List.of(new ByteRange(0, 10), new ByteRange(5, 10)), "application/x", LENGTH);
    try (BodySource body =
        new MappedBody(region, 0, BodyPart.of(multipart), pool, FileSender.NONE)) {
      body.next(Throttle.ANY);
      body.prepare();
    }
    requireAllGivenBack(region);
    assertThat(pool.released()).isEqualTo(1);
  }

  private static byte[] slice(ByteRange range) {
    return Arrays.copyOfRange(CONTENT, (int) range.position(), (int) range.end());
  }

  private void requireAllGivenBack(ColdRegion used) {
    assertThat(used.closes()).isEqualTo(1);
    assertThat(pool.released()).isEqualTo(pool.acquired());
  }
}

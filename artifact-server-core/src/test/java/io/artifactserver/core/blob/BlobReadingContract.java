package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.range.RangeCases;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** The part of {@link BlobStoreContract} that reads. */
abstract class BlobReadingContract extends BlobStoreFixture {
  @Test
  void hasAShortName() {
    assertThat(store().name()).matches("[a-z][a-z0-9-]*");
  }

  @Test
  void passesItsOwnCheck() throws StorageException {
    assertThatCode(() -> store().check()).doesNotThrowAnyException();
    assertThat(listed()).isEmpty();
  }

  @Test
  void readsBackEveryRangeOfEveryLength() throws StorageException {
    for (long length : RangeCases.lengths(unit())) {
      byte[] content = content((int) length, 1);
      BlobRef ref = store(content);
      assertThat(ref.length()).isEqualTo(length);
      Blob blob = store().blob(ref);
      assertThat(blob.ref()).isEqualTo(ref);
      assertThat(blob.length()).isEqualTo(length);
      for (ByteRange range : RangeCases.of(length, unit(), 2 * unit())) {
        assertBytes(read(blob, range, ByteBuffer.allocate(8192)), content, range);
      }
    }
  }

  @Test
  void readsIntoBuffersOfAnySizeAndKind() throws StorageException {
    byte[] content = content((int) unit() + 1001, 2);
    Blob blob = store().blob(store(content));
    List<ByteRange> ranges =
        List.of(
            ByteRange.whole(500),
            new ByteRange(unit() - 250, 501),
            new ByteRange(content.length - 333, 333));
    for (IntFunction<ByteBuffer> buffer : BUFFERS) {
      for (int size : new int[] {1, 7, 4096, 1 << 20}) {
        for (ByteRange range : ranges) {
          assertBytes(read(blob, range, buffer.apply(size)), content, range);
        }
      }
    }
  }

  @Test
  void leavesTheRestOfTheBufferAlone() throws StorageException {
    byte[] content = content(100, 3);
    Blob blob = store().blob(store(content));
    ByteBuffer target = ByteBuffer.allocate(200).position(10).limit(60);
    try (RangeReader reader = blob.open(new ByteRange(40, 20))) {
      int total = 0;
      for (int n = reader.read(target); n >= 0; n = reader.read(target)) {
        total += n;
      }
      assertThat(total).isEqualTo(20);
    }
    assertThat(target.position()).isEqualTo(30);
    assertThat(target.limit()).isEqualTo(60);
    assertThat(Arrays.copyOfRange(target.array(), 10, 30))
        .isEqualTo(Arrays.copyOfRange(content, 40, 60));
    assertThat(Arrays.copyOfRange(target.array(), 30, 200)).containsOnly(0);
    assertThat(Arrays.copyOfRange(target.array(), 0, 10)).containsOnly(0);
  }

  /** A selector's thread calls what says that it waits for nothing. */
  @Test
  void whatSaysThatItWaitsForNothingDoesNotWait() throws IOException {
    int length = (int) Math.max(3 * unit(), 200_000);
    List<ByteRange> ranges = List.of(ByteRange.whole(length), new ByteRange(unit() - 1, unit()));
    Blob twin = store().blob(store(content(length, 16)));
    Blob blob = store().blob(store(content(length, 17)));
    // Each round finds more in memory than the one before.
    for (int round = 0; round < 4; round++) {
      for (ByteRange range : ranges) {
        WaitProbe.loadClasses(twin, range);
        WaitProbe.requireTruth(blob, range);
      }
    }
  }

  @Test
  void endsExactlyAtTheEndAndStaysThere() throws StorageException {
    Blob blob = store().blob(store(content(1000, 4)));
    ByteBuffer target = ByteBuffer.allocate(100);
    try (RangeReader reader = blob.open(new ByteRange(900, 100))) {
      while (target.hasRemaining()) {
        assertThat(reader.read(target)).isPositive();
      }
      target.clear();
      assertThat(reader.read(target)).isEqualTo(-1);
      assertThat(reader.read(target)).isEqualTo(-1);
      assertThat(target.position()).isZero();
    }
    try (RangeReader reader = blob.open(new ByteRange(1000, 0))) {
      assertThat(reader.read(target)).isEqualTo(-1);
      assertThat(reader.read(target)).isEqualTo(-1);
    }
  }

  @Test
  void refusesRangesOutsideTheBlob() throws StorageException {
    for (int length : new int[] {0, 1, 1000}) {
      Blob blob = store().blob(store(content(length, 5)));
      for (ByteRange range : RangeCases.outside(length)) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
            .isThrownBy(() -> blob.open(range).close());
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
            .isThrownBy(() -> blob.fileRegion(range).ifPresent(FileRegion::close));
      }
    }
  }

  @Test
  void saysThatABlobIsMissing() throws StorageException {
    BlobRef missing = new BlobRef("0123456789abcdef0123456789abcdef", 10);
    Blob blob = store().blob(missing);
    assertThat(blob.length()).isEqualTo(10);
    for (ByteRange range : List.of(ByteRange.whole(10), new ByteRange(3, 0))) {
      assertThatExceptionOfType(StorageException.BlobNotFound.class)
          .isThrownBy(() -> blob.open(range).close())
          .withMessageContaining(missing.key());
      if (supportsFileRegions()) {
        assertThatExceptionOfType(StorageException.BlobNotFound.class)
            .isThrownBy(() -> blob.fileRegion(range).ifPresent(FileRegion::close))
            .withMessageContaining(missing.key());
      }
    }
  }

  @Test
  void aClosedReaderIsOver() throws StorageException {
    RangeReader reader = store().blob(store(content(10, 9))).open(ByteRange.whole(10));
    assertThat(reader.isOpen()).isTrue();
    reader.close();
    reader.close();
    assertThat(reader.isOpen()).isFalse();
    assertThatIllegalStateException().isThrownBy(() -> reader.read(ByteBuffer.allocate(1)));
  }

  @Test
  void anOpenReaderFinishesOrFailsAfterADelete() throws StorageException {
    byte[] content = content(3 * (int) unit(), 15);
    BlobRef ref = store(content);
    ByteBuffer target = ByteBuffer.allocate(content.length);
    try (RangeReader reader = store().blob(ref).open(ByteRange.whole(content.length))) {
      assertThat(reader.read(target.duplicate().limit(10))).isPositive();
    }
    try (RangeReader reader = store().blob(ref).open(ByteRange.whole(content.length))) {
      store().delete(ref);
      while (reader.read(target) >= 0) {
        assertThat(target.position()).isPositive();
      }
      assertThat(target.array()).isEqualTo(content);
    } catch (StorageException e) {
      assertThat(e).hasMessageContaining(ref.key());
    }
  }

  @Test
  void readersOfOneBlobDoNotDisturbEachOther() throws Exception {
    byte[] content = content(3 * (int) unit() + 17, 16);
    Blob blob = store().blob(store(content));
    List<ByteRange> ranges = RangeCases.of(content.length, unit());
    List<Callable<Integer>> readers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int seed = i;
      readers.add(() -> {
        Random random = new Random(seed);
        for (int n = 0; n < 50; n++) {
          ByteRange range = ranges.get(random.nextInt(ranges.size()));
          assertBytes(read(blob, range, ByteBuffer.allocate(3001)), content, range);
        }
        return 50;
      });
    }
    assertThat(together(readers)).containsOnly(50);
  }

  @Test
  void twoReadersInOneThreadTakeTurns() throws StorageException {
    byte[] content = content(1000, 17);
    Blob blob = store().blob(store(content));
    ByteBuffer first = ByteBuffer.allocate(500);
    ByteBuffer second = ByteBuffer.allocate(500);
    try (RangeReader one = blob.open(ByteRange.whole(500));
        RangeReader other = blob.open(new ByteRange(500, 500))) {
      while (first.hasRemaining() || second.hasRemaining()) {
        readUpTo(one, first, 13);
        readUpTo(other, second, 17);
      }
    }
    assertThat(first.array()).isEqualTo(Arrays.copyOfRange(content, 0, 500));
    assertThat(second.array()).isEqualTo(Arrays.copyOfRange(content, 500, 1000));
  }

  @Test
  void reachesBeyondTwoGibibytes() throws Exception {
    assumeTrue(supportsSparseBlobs(), "This store has no sparse files");
    long length = (1L << 31) + 100_000;
    long position = (1L << 31) - 10;
    byte[] marker = content(20, 25);
    BlobRef ref = createSparseBlob(length, position, marker);
    Blob blob = store().blob(ref);
    ByteRange range = new ByteRange(position, marker.length);
    assertThat(read(blob, range, ByteBuffer.allocate(7))).isEqualTo(marker);
    assertThat(read(blob, new ByteRange(length - 1, 1), ByteBuffer.allocate(7))).containsExactly(0);
    if (supportsFileRegions()) {
      try (FileRegion region = blob.fileRegion(ByteRange.whole(length)).orElseThrow()) {
        assertThat(region.length()).isEqualTo(length);
        assertThat(bytes(region.slice(position, marker.length))).isEqualTo(marker);
        assertThat(bytes(region.slice(length - 1, 1))).containsExactly(0);
      }
      try (FileRegion region = blob.fileRegion(range).orElseThrow()) {
        assertThat(bytes(region.slice(0, marker.length))).isEqualTo(marker);
      }
    }
  }

  private static void readUpTo(RangeReader reader, ByteBuffer target, int length)
      throws StorageException {
    int limit = target.limit();
    target.limit(Math.min(limit, target.position() + length));
    if (target.hasRemaining()) {
      assertThat(reader.read(target)).isPositive();
    }
    target.limit(limit);
  }
}

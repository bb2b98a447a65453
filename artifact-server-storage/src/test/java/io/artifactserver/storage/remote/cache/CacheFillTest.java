package io.artifactserver.storage.remote.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Which bytes are fetched, when, and how often. */
class CacheFillTest extends CacheFixture {
  @Test
  void manyColdReadersFetchEachByteOnce() throws Exception {
    byte[] content = content(256 * PIECE + 11, 1);
    BlobRef ref = remote.store(content);
    for (CacheProperties properties : List.of(TestProperties.whole(), TestProperties.demanded())) {
      remote.forget();
      Path own = Files.createDirectory(folder.resolve(properties.fill().name()));
      CachingBlobStore cache = open(own, properties);
      CountDownLatch start = new CountDownLatch(1);
      try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<Integer>> reads = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          // Some read all of it, some in parts, some from the middle.
          int from = i % 3 == 0 ? 0 : i * PIECE / 2;
          reads.add(
              readers.submit(() -> {
                start.await();
                return read(cache, ref, content, new ByteRange(from, content.length - from));
              }));
        }
        start.countDown();
        for (Future<Integer> read : reads) {
          assertThat(read.get()).isPositive();
        }
      }
      assertThat(remote.delivered()).isEqualTo(content.length);
      assertThat(remote.opened()).hasSize(257).doesNotHaveDuplicates();
      assertThat(remote.peak()).isLessThanOrEqualTo(8);
      mappedFiles.forget(ref.key());
    }
  }

  @Test
  void aReaderFarAheadOfTheFillDoesNotWaitForIt() throws Exception {
    byte[] content = content(100 * PIECE, 2);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    ByteRange far = new ByteRange(80 * PIECE + 7, 100);
    CountDownLatch stuck = new CountDownLatch(1);
    remote.fault(range -> {
      if (range.position() != 80L * PIECE) {
        awaitQuietly(stuck);
      }
    });
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> fromTheStart =
          readers.submit(() -> read(cache, ref, content, ByteRange.whole(content.length)));
      Warm.await(() -> remote.inFlight() > 1);
      assertThat(read(cache, ref, content, far)).isEqualTo(100);
      assertThat(fromTheStart.isDone()).isFalse();
      stuck.countDown();
      assertThat(fromTheStart.get()).isEqualTo(content.length);
    }
    Warm.await(() -> Warm.isMappable(cache, ref));
    assertThat(remote.delivered()).isEqualTo(content.length);
  }

  @Test
  void onDemandOnlyThePiecesOfARangeAreFetched() throws Exception {
    byte[] content = content(40 * PIECE + 5, 3);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.demanded());
    read(cache, ref, content, new ByteRange(7 * PIECE + 1, 1000));
    assertThat(remote.opened()).containsExactly(new ByteRange(7 * PIECE, PIECE));
    read(cache, ref, content, new ByteRange(7 * PIECE + 900, 1000));
    assertThat(remote.opened()).hasSize(1);
    read(cache, ref, content, new ByteRange(7 * PIECE - 1, PIECE + 2));
    read(cache, ref, content, new ByteRange(content.length - 1, 1));
    assertThat(remote.opened())
        .containsExactlyInAnyOrder(
            new ByteRange(6 * PIECE, PIECE),
            new ByteRange(7 * PIECE, PIECE),
            new ByteRange(8 * PIECE, PIECE),
            new ByteRange(40 * PIECE, 5));
    assertThat(cache.figures().hits()).isEqualTo(1);
    assertThat(cache.figures().misses()).isEqualTo(3);
    assertThat(cache.figures().filledBytes()).isEqualTo(3 * PIECE + 5);
  }

  @Test
  void aDemandedReaderThatStandsStillIsFetchedAheadOfALittleOnly() throws Exception {
    byte[] content = content(100 * PIECE, 4);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.demanded());
    try (RangeReader reader = cache.blob(ref).open(ByteRange.whole(content.length))) {
      assertThat(reader.read(ByteBuffer.allocate(10))).isEqualTo(10);
      Warm.await(() -> cache.figures().filledBytes() == (1 + CacheEntry.READ_AHEAD) * PIECE);
      assertThat(remote.opened()).hasSize(1 + CacheEntry.READ_AHEAD);
    }
  }

  @Test
  void oneByteFillsTheWholeBlobInTheBackground() throws Exception {
    byte[] content = content(9 * PIECE + 1, 5);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    assertThat(cache.blob(ref).waitToOpen()).isNotEqualTo(Wait.NONE);
    Warm.up(cache, ref);
    assertThat(remote.delivered()).isEqualTo(content.length);
    remote.down(true);
    try (FileRegion region = cache.blob(ref).fileRegion(ByteRange.whole(content.length)).get()) {
      assertThat(region.slice(0, content.length)).isEqualTo(ByteBuffer.wrap(content));
      assertThat(cache.blob(ref).waitToOpen()).isEqualTo(Wait.NONE);
    }
    assertThat(read(cache, ref, content, new ByteRange(PIECE - 1, 2 * PIECE))).isEqualTo(2 * PIECE);
    assertThat(cache.figures().blobs()).isEqualTo(1);
    assertThat(cache.figures().heldBytes())
        .isBetween((long) content.length, content.length + 8192L);
  }

  @Test
  void aSourceThatEndsEarlyOrDeliversTooMuchIsAFailure() throws Exception {
    BlobRef ref = remote.store(content(2 * PIECE, 14));
    CacheFile file = new CacheFile(folder.resolve("file"), ref, PIECE);
    file.create();
    ByteBuffer buffer = ByteBuffer.allocate(1000);
    for (int length : new int[] {0, PIECE - 1, PIECE + 1}) {
      try (RangeReader source = remote.blob(ref).open(ByteRange.whole(length))) {
        assertThatExceptionOfType(StorageUnavailable.class)
            .isThrownBy(() -> file.write(0, source, buffer))
            .withMessageContaining(ref.key());
      }
    }
    assertThat(file.stored()).hasValueSatisfying(stored -> assertThat(stored.isEmpty()).isTrue());
  }
}

package io.artifactserver.storage.remote.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.abort;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.unit.DataSize;

@ExtendWith(OutputCaptureExtension.class)
class CachingBlobStoreTest {
  private static final int PIECE = TestProperties.PIECE_LENGTH;

  @TempDir private Path folder;
  private final FakeRemoteStore remote = new FakeRemoteStore();
  private final MappedFiles mappedFiles = new MappedFiles(64, Duration.ofMinutes(5));
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
  private final AtomicLong diskBytes = new AtomicLong(1L << 40);
  private final List<CachingBlobStore> opened = new ArrayList<>();

  @AfterEach
  void closeStores() {
    remote.fault(_ -> {});
    opened.forEach(CachingBlobStore::close);
    mappedFiles.close();
  }

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
  void aRestartTrustsWhatHasItsDigest() throws Exception {
    byte[] content = content(9 * PIECE + 1, 6);
    BlobRef ref = remote.store(content);
    Warm.up(open(TestProperties.whole()), ref);
    remote.down(true);
    // Not closed before: a killed process does not, either.
    CachingBlobStore restarted = open(TestProperties.whole());
    assertThat(restarted.figures().blobs()).isEqualTo(1);
    assertThat(restarted.blob(ref).fileRegion(ByteRange.whole(1))).isEmpty();
    read(restarted, ref, content, new ByteRange(3 * PIECE, 17));
    Warm.await(() -> Warm.isMappable(restarted, ref));
    read(restarted, ref, content, ByteRange.whole(content.length));
    assertThat(restarted.figures().filledBytes()).isZero();
    assertThat(restarted.figures().damagedPieces()).isZero();
  }

  @Test
  void aRestartGoesOnWithAHalfFilledBlob() throws Exception {
    byte[] content = content(20 * PIECE, 7);
    BlobRef ref = remote.store(content);
    read(open(TestProperties.demanded()), ref, content, new ByteRange(5 * PIECE, 4 * PIECE));
    remote.forget();
    CachingBlobStore restarted = open(TestProperties.whole());
    Warm.up(restarted, ref);
    assertThat(remote.delivered()).isEqualTo(16 * PIECE);
    assertThat(remote.opened()).doesNotContain(new ByteRange(5 * PIECE, PIECE));
    read(restarted, ref, content, ByteRange.whole(content.length));
  }

  @Test
  void aDamagedPieceIsFetchedAnew(CapturedOutput output) throws Exception {
    byte[] content = content(9 * PIECE, 8);
    BlobRef ref = remote.store(content);
    Warm.up(open(TestProperties.whole()), ref);
    remote.forget();
    overwrite(ref, 2L * PIECE + 100, new byte[] {(byte) ~content[2 * PIECE + 100]});
    overwrite(ref, 4L * PIECE, new byte[PIECE]);
    CachingBlobStore restarted = open(TestProperties.whole());
    read(restarted, ref, content, ByteRange.whole(content.length));
    Warm.await(() -> Warm.isMappable(restarted, ref));
    assertThat(remote.opened())
        .containsExactlyInAnyOrder(
            new ByteRange(2 * PIECE, PIECE), new ByteRange(4 * PIECE, PIECE));
    assertThat(restarted.figures().damagedPieces()).isEqualTo(2);
    assertThat(output.getOut().split("Fetching piece", -1)).hasSize(2);
    try (FileRegion region =
        restarted.blob(ref).fileRegion(ByteRange.whole(content.length)).orElseThrow()) {
      assertThat(region.slice(0, content.length)).isEqualTo(ByteBuffer.wrap(content));
    }
  }

  @Test
  void whateverAFileWasTurnedIntoTheBytesAreRight() throws Exception {
    byte[] content = content(3 * PIECE + 9, 9);
    byte[] other = content(3 * PIECE + 9, 10);
    Random random = new Random(42);
    for (int round = 0; round < 40; round++) {
      BlobRef ref = remote.store(content);
      BlobRef otherRef = remote.store(other);
      CachingBlobStore before = open(TestProperties.whole());
      Warm.up(before, ref);
      Warm.up(before, otherRef);
      long size = Files.size(file(ref));
      switch (round % 5) {
        case 0 -> truncate(ref, random.nextLong(size));
        case 1 -> overwrite(ref, random.nextLong(size), content(1 + random.nextInt(300), round));
        case 2 -> overwrite(ref, size, new byte[random.nextInt(1, 5000)]);
        case 3 -> overwrite(ref, random.nextLong(size), new byte[random.nextInt(1, PIECE)]);
        default -> {
          Files.delete(file(ref));
          Files.createDirectories(file(ref).resolveSibling(""));
          Files.copy(file(otherRef), file(ref));
        }
      }
      before.close();
      mappedFiles.forget(ref.key());
      CachingBlobStore restarted = open(TestProperties.whole());
      read(restarted, ref, content, new ByteRange(random.nextInt(content.length), 1));
      read(restarted, ref, content, ByteRange.whole(content.length));
      Warm.await(() -> Warm.isMappable(restarted, ref));
      read(restarted, ref, content, ByteRange.whole(content.length));
      restarted.delete(ref);
      restarted.delete(otherRef);
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void anotherPieceLengthBeginsAnew() throws Exception {
    byte[] content = content(3 * PIECE, 11);
    BlobRef ref = remote.store(content);
    Warm.up(open(TestProperties.whole()), ref);
    CacheProperties small = TestProperties.whole();
    CachingBlobStore other =
        open(
            new CacheProperties(
                true,
                "",
                small.maxSize(),
                small.minFree(),
                small.fill(),
                DataSize.ofKilobytes(128),
                8));
    Warm.up(other, ref);
    read(other, ref, content, ByteRange.whole(content.length));
    assertThat(other.figures().filledBytes()).isEqualTo(content.length);
  }

  @Test
  void aStoreThatIsDownReachesEveryWaitingReaderAndTheNextRequestTriesAgain() throws Exception {
    byte[] content = content(30 * PIECE, 12);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    CountDownLatch failing = new CountDownLatch(1);
    AtomicInteger pieces = new AtomicInteger();
    remote.fault(range -> {
      if (range.position() >= 10L * PIECE) {
        pieces.incrementAndGet();
        awaitQuietly(failing);
        throw new StorageUnavailable("remote", "broken", null);
      }
    });
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> reads = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        ByteRange range = new ByteRange((long) i * PIECE, content.length - (long) i * PIECE);
        reads.add(readers.submit(() -> read(cache, ref, content, range)));
      }
      Warm.await(() -> pieces.get() > 3);
      failing.countDown();
      for (Future<Integer> read : reads) {
        assertThatExceptionOfType(ExecutionException.class)
            .isThrownBy(read::get)
            .withCauseInstanceOf(StorageUnavailable.class);
      }
    }
    Warm.await(() -> remote.inFlight() == 0);
    // As many of the first ten as had a turn before the fetches that fail had them all.
    long there = remote.delivered();
    assertThat(there).isBetween((long) PIECE, 10L * PIECE);
    remote.fault(_ -> {});
    remote.forget();
    read(cache, ref, content, ByteRange.whole(content.length));
    Warm.await(() -> Warm.isMappable(cache, ref));
    assertThat(remote.delivered()).isEqualTo(content.length - there);
    assertThat(remote.opened()).hasSize((int) (content.length - there) / PIECE);
  }

  @Test
  void aStoreThatIsDownDrivesNothingOutOfTheCache() throws Exception {
    byte[] content = content(10 * PIECE, 13);
    BlobRef kept = remote.store(content);
    BlobRef other = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole(15 * PIECE));
    Warm.up(cache, kept);
    remote.down(true);
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> cache.blob(other).open(ByteRange.whole(1)));
    assertThat(Warm.isMappable(cache, kept)).isTrue();
    assertThat(cache.figures().evictions()).isZero();
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

  @Test
  void theLeastRecentlyUsedGoesFirstAcrossARestart() throws Exception {
    byte[] content = content(10 * PIECE, 15);
    List<BlobRef> refs =
        List.of(
            remote.store(content),
            remote.store(content),
            remote.store(content),
            remote.store(content));
    CachingBlobStore cache = open(TestProperties.whole(35 * PIECE));
    for (BlobRef ref : refs.subList(0, 3)) {
      Warm.up(cache, ref);
      later(Duration.ofMinutes(1));
    }
    assertThat(Warm.isMappable(cache, refs.get(0))).isTrue();
    later(Duration.ofMinutes(1));
    cache.close();
    CachingBlobStore restarted = open(TestProperties.whole(35 * PIECE));
    Warm.up(restarted, refs.get(3));
    assertThat(restarted.figures().evictions()).isEqualTo(1);
    assertThat(files()).contains(file(refs.get(0))).doesNotContain(file(refs.get(1))).hasSize(3);
    assertThat(restarted.figures().heldBytes()).isLessThanOrEqualTo(35 * PIECE);
  }

  @Test
  void whatIsReadOrMappedIsNotEvicted() throws Exception {
    byte[] content = content(10 * PIECE, 16);
    BlobRef read = remote.store(content);
    BlobRef mapped = remote.store(content);
    BlobRef third = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole(25 * PIECE));
    Warm.up(cache, read);
    Warm.up(cache, mapped);
    try (RangeReader reader = cache.blob(read).open(ByteRange.whole(content.length));
        FileRegion region =
            cache.blob(mapped).fileRegion(ByteRange.whole(content.length)).orElseThrow()) {
      later(Duration.ofHours(1));
      remote.forget();
      read(cache, third, content, ByteRange.whole(content.length));
      assertThat(files()).containsExactlyInAnyOrder(file(read), file(mapped));
      assertThat(cache.figures().evictions()).isZero();
      assertThat(cache.figures().passes()).isEqualTo(1);
      assertThat(remote.delivered()).isEqualTo(content.length);
      assertThat(region.slice(0, content.length)).isEqualTo(ByteBuffer.wrap(content));
      ByteBuffer all = ByteBuffer.allocate(content.length);
      while (reader.read(all) > 0) {
        assertThat(all.position()).isPositive();
      }
      assertThat(all.array()).isEqualTo(content);
    }
    later(CacheEntry.PAUSE.multipliedBy(2));
    Warm.up(cache, third);
    assertThat(cache.figures().evictions()).isEqualTo(1);
  }

  @Test
  void aBlobLargerThanTheCachePassesThrough() throws Exception {
    byte[] content = content(10 * PIECE, 17);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole(9 * PIECE));
    read(cache, ref, content, new ByteRange(77, 5 * PIECE));
    assertThat(remote.opened()).containsExactly(new ByteRange(77, 5 * PIECE));
    assertThat(cache.figures().passes()).isEqualTo(1);
    assertThat(cache.figures().blobs()).isZero();
  }

  @Test
  void aDiskThatMustNotGetFullerIsLeftAlone(CapturedOutput output) throws Exception {
    byte[] content = content(10 * PIECE, 18);
    BlobRef old = remote.store(content);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    Warm.up(cache, old);
    diskBytes.set(12 * PIECE);
    // There is room for the new one in place of the old one.
    Warm.up(cache, ref);
    assertThat(files()).containsExactly(file(ref));
    byte[] largeContent = content(20 * PIECE, 19);
    BlobRef large = remote.store(largeContent);
    later(Duration.ofMinutes(1));
    for (int i = 1; i <= 2; i++) {
      read(cache, large, largeContent, ByteRange.whole(20 * PIECE));
      assertThat(cache.figures().passes()).isEqualTo(i);
    }
    assertThat(files()).as("gone for nothing").containsExactly(file(ref));
    assertThat(output).containsOnlyOnce("The cache is off");
    diskBytes.set(1L << 40);
    read(cache, large, largeContent, ByteRange.whole(20 * PIECE));
    assertThat(cache.figures().passes()).as("within the pause").isEqualTo(3);
    later(CacheEntry.PAUSE.multipliedBy(2));
    Warm.up(cache, large);
    assertThat(output).containsOnlyOnce("The cache is on again");
  }

  @Test
  void aFullFileSystemIsNoErrorOfTheClient(CapturedOutput output) throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    if (run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk.toString()) != 0) {
      abort("SKIPPED: a full file system was not tried, because this user may not mount a tmpfs");
    }
    try {
      byte[] content = content(60 * PIECE, 20);
      BlobRef ref = remote.store(content);
      CachingBlobStore cache = open(disk, TestProperties.whole());
      for (int i = 0; i < 3; i++) {
        assertThat(read(cache, ref, content, ByteRange.whole(content.length)))
            .isEqualTo(content.length);
      }
      assertThat(cache.figures().passes()).isEqualTo(3);
      // Said by the thread that fetched, which nobody waits for.
      Warm.await(() -> output.getAll().contains("The cache is off"));
      assertThat(output).containsOnlyOnce("The cache is off").contains("No space left");
      cache.delete(ref);
      later(CacheEntry.PAUSE.multipliedBy(2));
      byte[] small = content(5 * PIECE, 21);
      BlobRef smallRef = remote.store(small);
      Warm.up(cache, smallRef);
      assertThat(output).contains("The cache is on again");
      cache.close();
    } finally {
      mappedFiles.close();
      assertThat(run("umount", disk.toString())).isZero();
    }
  }

  @Test
  void aDeletionDuringTheFillReachesTheReaders() throws Exception {
    byte[] content = content(30 * PIECE, 22);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    CountDownLatch deleted = new CountDownLatch(1);
    remote.fault(range -> {
      if (range.position() >= 10L * PIECE) {
        awaitQuietly(deleted);
      }
    });
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> read =
          readers.submit(() -> read(cache, ref, content, ByteRange.whole(content.length)));
      Warm.await(() -> cache.figures().filledBytes() == 10 * PIECE);
      cache.delete(ref);
      deleted.countDown();
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(read::get)
          .withCauseInstanceOf(BlobNotFound.class);
    }
    Warm.await(() -> remote.inFlight() == 0);
    assertThat(files()).isEmpty();
    assertThat(cache.figures().heldBytes()).isZero();
    assertThatExceptionOfType(BlobNotFound.class)
        .isThrownBy(() -> cache.blob(ref).open(ByteRange.whole(1)));
    Warm.await(() -> cache.figures().blobs() == 0);
  }

  @Test
  void aFolderThatIsClearedUnderTheServerIsFilledAgain() throws Exception {
    byte[] content = content(10 * PIECE, 23);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    for (int round = 0; round < 4; round++) {
      Warm.up(cache, ref);
      if (round % 2 == 0) {
        mappedFiles.forget(ref.key());
      }
      Files.delete(file(ref));
      Files.delete(file(ref).resolveSibling(""));
      read(cache, ref, content, ByteRange.whole(content.length));
      read(cache, ref, content, ByteRange.whole(content.length));
    }
    Warm.up(cache, ref);
    assertThat(files()).hasSize(1);
  }

  @Test
  void readersAreToldWhenTheCacheCloses() throws Exception {
    BlobRef ref = remote.store(content(30 * PIECE, 24));
    CachingBlobStore cache = open(TestProperties.whole());
    CountDownLatch never = new CountDownLatch(1);
    remote.fault(_ -> {
      try {
        never.await();
      } catch (InterruptedException e) {
        throw new StorageUnavailable("remote", "interrupted", e);
      }
    });
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<RangeReader>> waiting = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        ByteRange range = new ByteRange((long) i * PIECE, 1);
        waiting.add(readers.submit(() -> cache.blob(ref).open(range)));
      }
      Warm.await(() -> remote.inFlight() == 8);
      cache.close();
      for (Future<RangeReader> reader : waiting) {
        assertThatExceptionOfType(ExecutionException.class)
            .isThrownBy(reader::get)
            .withCauseInstanceOf(StorageUnavailable.class);
      }
    }
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> cache.blob(ref).open(ByteRange.whole(1)));
  }

  @Test
  void anInterruptedReaderHarmsNobodyElse() throws Exception {
    byte[] content = content(10 * PIECE, 25);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    Warm.up(cache, ref);
    try (RangeReader reader = cache.blob(ref).open(ByteRange.whole(content.length))) {
      Thread.currentThread().interrupt();
      assertThatExceptionOfType(StorageUnavailable.class)
          .isThrownBy(() -> reader.read(ByteBuffer.allocate(10)));
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(Warm.isMappable(cache, ref)).isTrue();
    assertThat(files()).hasSize(1);
  }

  @Test
  void readersOfOneBlobLeaveNothingOpen() throws Exception {
    byte[] content = content(5 * PIECE, 26);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    Warm.up(cache, ref);
    long before = openDescriptors();
    for (int i = 0; i < 500; i++) {
      try (RangeReader reader = cache.blob(ref).open(new ByteRange(i, 3 * PIECE))) {
        assertThat(reader.read(ByteBuffer.allocate(10))).isEqualTo(10);
      }
    }
    // Other threads of this JVM open a class file or two; a leak here would be hundreds.
    assertThat(openDescriptors()).isLessThan(before + 50);
    assertThat(remote.inFlight()).isZero();
  }

  @Test
  void passesOnWhereTheRemoteStoreServesClients() throws Exception {
    BlobRef ref = remote.store(content(PIECE, 29));
    assertThat(open(TestProperties.whole()).blob(ref).temporaryAddress("a/b", "inline"))
        .hasValueSatisfying(address -> assertThat(address).hasPath("/" + ref.key()));
    assertThat(remote.opened()).isEmpty();
  }

  @Test
  void refusesAFolderThatIsAFile() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "no folder");
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> CachingBlobStore.open(remote, file, TestProperties.whole(), mappedFiles))
        .withMessageContaining(file.toString())
        .withMessageContaining("artifact-server.storage.cache.path");
  }

  @Test
  void leavesForeignFilesAlone() throws Exception {
    Files.writeString(folder.resolve("notes.txt"), "mine");
    Files.createDirectories(folder.resolve("ab"));
    Files.writeString(folder.resolve("ab/notes.txt"), "mine");
    Files.writeString(folder.resolve("ab").resolve("cd".repeat(16)), "mine");
    CachingBlobStore cache = open(TestProperties.whole(PIECE + 8192));
    assertThat(cache.figures().blobs()).isZero();
    BlobRef ref = remote.store(content(PIECE, 27));
    Warm.up(cache, ref);
    Warm.up(cache, remote.store(content(PIECE, 28)));
    assertThat(files()).hasSize(4);
  }

  /**
   * Between finding a complete entry and mapping or opening its file, the entry may be given up and
   * another begun: a file of the same name and length, and full of holes.
   */
  @Test
  void anEntryThatIsGivenUpWhileItIsOpenedIsNotServed() throws Exception {
    byte[] content = content(10 * PIECE, 42);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.demanded());
    ByteRange whole = ByteRange.whole(content.length);
    read(cache, ref, content, whole);
    Warm.await(() -> cache.entries.complete(ref) != null);
    CacheEntry found = Objects.requireNonNull(cache.entries.complete(ref));
    cache.entries.discard(found);
    read(cache, ref, content, new ByteRange(5 * PIECE, 1));
    assertThat(cache.regionOf(found, whole)).isEmpty();
    assertThat(found.open()).isEmpty();
    read(cache, ref, content, whole);
    Warm.await(() -> cache.entries.complete(ref) != null);
    try (FileRegion region = cache.blob(ref).fileRegion(whole).orElseThrow()) {
      assertThat(region.slice(0, content.length)).isEqualTo(ByteBuffer.wrap(content));
    }
  }

  /** Everything at once, by seed: each byte is compared. */
  @Test
  void whateverHappensAtOnceTheBytesAreRight() throws Exception {
    for (int seed = 1; seed <= 4; seed++) {
      CacheProperties.Fill fill =
          seed % 2 == 0 ? CacheProperties.Fill.WHOLE : CacheProperties.Fill.DEMANDED;
      Path own = Files.createDirectory(folder.resolve("seed" + seed));
      turmoil(seed, open(own, TestProperties.of(40 * PIECE, fill)));
    }
  }

  private void turmoil(int seed, CachingBlobStore cache) throws Exception {
    List<byte[]> contents = new ArrayList<>();
    List<AtomicReference<BlobRef>> refs = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      contents.add(content(PIECE * (1 + 3 * i) + i, seed * 100 + i));
      refs.add(new AtomicReference<>(remote.store(contents.get(i))));
    }
    Random faults = new Random(seed);
    remote.fault(_ -> {
      int dice;
      synchronized (faults) {
        dice = faults.nextInt(1000);
      }
      if (dice == 0) {
        throw new StorageUnavailable("remote", "by chance", null);
      }
    });
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        Random random = new Random(seed * 1000L + i);
        tasks.add(() -> {
          int right = 0;
          for (int n = 0; n < 150; n++) {
            int blob = random.nextInt(refs.size());
            BlobRef ref = refs.get(blob).get();
            if (random.nextInt(200) == 0) {
              cache.delete(ref);
              refs.get(blob).set(remote.store(contents.get(blob)));
            } else {
              right += readSomewhere(cache, ref, contents.get(blob), random);
            }
            now.updateAndGet(instant -> instant.plusMillis(500));
          }
          return right;
        });
      }
      for (Future<Integer> task : readers.invokeAll(tasks)) {
        assertThat(task.get()).isPositive();
      }
    }
    Warm.await(() -> remote.inFlight() == 0);
    remote.fault(_ -> {});
    assertThat(cache.figures().heldBytes()).isBetween(0L, 40L * PIECE);
    assertThat(cache.figures().evictions()).isPositive();
    cache.close();
    mappedFiles.closeIdle();
  }

  private static int readSomewhere(BlobStore cache, BlobRef ref, byte[] content, Random random)
      throws StorageException {
    int position = random.nextInt(content.length);
    int length = 1 + random.nextInt(Math.min(content.length - position, 5 * PIECE));
    ByteRange range = new ByteRange(position, length);
    try {
      var region = cache.blob(ref).fileRegion(range);
      if (region.isPresent()) {
        try (FileRegion bytes = region.get()) {
          assertThat(bytes.slice(0, length)).isEqualTo(ByteBuffer.wrap(content, position, length));
        }
      } else if (random.nextInt(10) == 0) {
        try (RangeReader abandoned = cache.blob(ref).open(range)) {
          assertThat(abandoned.isOpen()).isTrue();
        }
      } else {
        read(cache, ref, content, range);
      }
      return 1;
    } catch (BlobNotFound | StorageUnavailable e) {
      assertThat(e).hasMessageMatching("(?s).*(by chance|is not in the memory store).*");
      return 0;
    }
  }

  private CachingBlobStore open(CacheProperties properties) throws StorageException {
    return open(folder, properties);
  }

  private CachingBlobStore open(Path own, CacheProperties properties) throws StorageException {
    CachingBlobStore store =
        CachingBlobStore.open(remote, own, properties, mappedFiles, now::get, this::freeBytes);
    opened.add(store);
    return store;
  }

  /** Of a disk on which nothing is sparse. */
  private long freeBytes() {
    try {
      long used = 0;
      for (Path file : files()) {
        used += Files.size(file);
      }
      return diskBytes.get() - used;
    } catch (IOException | UncheckedIOException _) {
      // A file went while it was looked at.
      return diskBytes.get();
    }
  }

  private void later(Duration duration) {
    now.updateAndGet(instant -> instant.plus(duration));
  }

  /** Compares every byte, and returns how many there were. */
  private static int read(BlobStore store, BlobRef ref, byte[] content, ByteRange range)
      throws StorageException {
    ByteBuffer all = ByteBuffer.allocate((int) range.length());
    try (RangeReader reader = store.blob(ref).open(range)) {
      while (reader.read(all) >= 0) {
        if (!all.hasRemaining()) {
          assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
          break;
        }
      }
    }
    int wrong =
        Arrays.mismatch(
            all.array(), 0, all.position(), content, (int) range.position(), (int) range.end());
    assertThat(wrong).as("first wrong byte of %s", range).isEqualTo(-1);
    return all.position();
  }

  private static byte[] content(int length, long seed) {
    byte[] content = new byte[length];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }

  private Path file(BlobRef ref) {
    return folder.resolve(ref.key().substring(0, 2)).resolve(ref.key());
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private void overwrite(BlobRef ref, long position, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file(ref), StandardOpenOption.WRITE)) {
      assertThat(channel.write(ByteBuffer.wrap(bytes), position)).isEqualTo(bytes.length);
    }
  }

  private void truncate(BlobRef ref, long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file(ref), StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) throws StorageException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new StorageUnavailable("remote", "interrupted", e);
    }
  }

  private static long openDescriptors() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.count();
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    } catch (IOException _) {
      return -1;
    }
  }
}

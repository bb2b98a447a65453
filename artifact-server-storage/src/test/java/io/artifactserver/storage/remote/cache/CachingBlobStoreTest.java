package io.artifactserver.storage.remote.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Readers while the store fails, blobs go and the cache closes; and all of that at once. */
class CachingBlobStoreTest extends CacheFixture {
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
      // A reader that comes later passes a closed cache by.
      Warm.await(() -> remote.inFlight() == 8 && cache.figures().misses() == 20);
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

  private static long openDescriptors() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.count();
    }
  }
}

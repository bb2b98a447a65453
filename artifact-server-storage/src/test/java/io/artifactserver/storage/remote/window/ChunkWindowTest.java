package io.artifactserver.storage.remote.window;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

// A window that is stuck fails instead of stopping the build.
@Timeout(120)
class ChunkWindowTest {
  private static final int CHUNK = 10;
  private static final Duration FOR_EVER = Duration.ofDays(1);

  private final TransferBudget budget = new TransferBudget(1 << 30);
  private final FakeRemoteStore remote = FakeRemoteStore.thatAnswersWhenTold();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void nothingIsLeft() {
    remote.answerAll();
    threads.shutdownNow();
    eventually("the budget is given back", () -> budget.used() == 0);
    assertThat(budget.transfers()).isZero();
    assertThat(budget.waiting()).isZero();
  }

  @Test
  void refusesAWindowOfNothing() {
    assertThatIllegalArgumentException().isThrownBy(() -> new ChunkWindow(0, 1, budget));
    assertThatIllegalArgumentException().isThrownBy(() -> new ChunkWindow(1, 0, budget));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 9, 10})
  void aRangeOfOneChunkIsReadAsItComes(int length) throws StorageException {
    AtomicReference<Thread> fetcher = new AtomicReference<>();
    ByteRange range = new ByteRange(7, length);
    FakeRemoteStore answering = new FakeRemoteStore();
    ChunkSource source =
        chunk -> {
          fetcher.set(Thread.currentThread());
          return answering.open(chunk);
        };
    try (RangeReader reader = window(16).open(range, source)) {
      assertThat(answering.inFlight()).isOne();
      assertThat(drain(reader, length)).isEqualTo(FakeRemoteStore.bytes(range));
      assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThat(answering.inFlight()).as("given back at once").isZero();
      assertThat(budget.used()).isZero();
      reader.rest();
    }
    assertThat(answering.opened()).containsExactly(range);
    assertThat(fetcher).hasValue(Thread.currentThread());
  }

  /** Its backend's connection is for others then. */
  @Test
  void aReaderThatRestsHasTheRestFetched() throws StorageException {
    ByteRange range = new ByteRange(7, CHUNK);
    FakeRemoteStore answering = new FakeRemoteStore();
    try (RangeReader reader = window(16).open(range, answering::open)) {
      ByteBuffer read = ByteBuffer.allocate(CHUNK);
      assertThat(reader.read(read.limit(3))).isEqualTo(3);
      reader.rest();
      reader.rest();
      eventually("the answer is over", () -> answering.inFlight() == 0);
      assertThat(budget.used()).isEqualTo(CHUNK);
      while (read.limit(CHUNK).hasRemaining()) {
        assertThat(reader.read(read)).isPositive();
      }
      assertThat(read.array()).isEqualTo(FakeRemoteStore.bytes(range));
      assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
    assertThat(answering.opened()).containsExactly(range);
  }

  @Test
  void aReaderThatIsClosedWhileItReadsAsItComesAbandonsTheAnswer() throws StorageException {
    FakeRemoteStore answering = new FakeRemoteStore();
    RangeReader reader = window(16).open(ByteRange.whole(CHUNK), answering::open);
    assertThat(reader.read(ByteBuffer.allocate(3))).isEqualTo(3);
    reader.close();
    reader.rest();
    assertThat(answering.inFlight()).isZero();
    assertThat(answering.opened()).hasSize(1);
    assertThatIllegalStateException().isThrownBy(() -> reader.read(ByteBuffer.allocate(1)));
  }

  @Test
  void aShortRangeCountsForWhatItIs() throws StorageException {
    ChunkWindow window = new ChunkWindow(1000, 16, budget);
    try (RangeReader reader = window.open(new ByteRange(5, 100), new FakeRemoteStore()::open)) {
      assertThat(budget.used()).isEqualTo(100);
      assertThat(drain(reader, 100)).hasSize(100);
    }
  }

  @Test
  void whatHasComeOfAChunkIsDelivered() throws Exception {
    HalfFetch source = new HalfFetch(100_000);
    ByteRange range = new ByteRange(11, 200_000);
    try (RangeReader reader = new ChunkWindow(200_000, 16, budget).open(range, source)) {
      reader.rest();
      byte[] first = take(reader, 100_000);
      assertThat(first).isEqualTo(FakeRemoteStore.bytes(new ByteRange(11, 100_000)));
      source.goOn.countDown();
      assertThat(take(reader, 100_000))
          .isEqualTo(FakeRemoteStore.bytes(new ByteRange(100_011, 100_000)));
      assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  /** Else a buffer could be given back into which a fetch still writes. */
  @Test
  void theLastByteComesWhenTheFetchIsOver() throws Exception {
    HalfFetch source = new HalfFetch(200_000);
    ByteRange range = ByteRange.whole(200_000);
    try (RangeReader reader = new ChunkWindow(200_000, 16, budget).open(range, source)) {
      reader.rest();
      assertThat(reader.read(ByteBuffer.allocate(200_000))).isEqualTo(199_999);
      Future<Integer> last = threads.submit(() -> reader.read(ByteBuffer.allocate(1)));
      assertThatExceptionOfType(TimeoutException.class)
          .isThrownBy(() -> last.get(100, TimeUnit.MILLISECONDS));
      source.goOn.countDown();
      assertThat(last.get()).isEqualTo(1);
    }
  }

  @Test
  void aFetchThatFailsInTheMiddleFailsTheReader() throws Exception {
    HalfFetch source = new HalfFetch(100_000);
    source.failure = FakeRemoteStore.broken("in the middle");
    ByteRange range = ByteRange.whole(200_000);
    try (RangeReader reader = new ChunkWindow(200_000, 16, budget).open(range, source)) {
      reader.rest();
      assertThat(take(reader, 80_000)).isEqualTo(FakeRemoteStore.bytes(ByteRange.whole(80_000)));
      source.goOn.countDown();
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(() -> take(reader, 120_000))
          .withMessageContaining("in the middle");
    }
  }

  /** The fetch of an abandoned reader is deaf for a while, and writes on. */
  @Test
  void aBufferIsNobodyElsesWhileAFetchMayWriteIntoIt() throws Exception {
    HalfFetch deaf = new HalfFetch(100_000);
    ChunkWindow window = new ChunkWindow(200_000, 1, budget);
    ByteRange range = ByteRange.whole(200_000);
    RangeReader abandoned = window.open(range, deaf);
    abandoned.rest();
    assertThat(take(abandoned, 70_000)).hasSize(70_000);
    abandoned.close();
    assertThat(budget.used()).isPositive();
    FakeRemoteStore other = new FakeRemoteStore();
    try (RangeReader reader = window.open(new ByteRange(9, 200_000), other::open)) {
      deaf.goOn.countDown();
      eventually("the deaf one is done", () -> deaf.hasWritten);
      assertThat(take(reader, 200_000)).isEqualTo(FakeRemoteStore.bytes(new ByteRange(9, 200_000)));
    }
  }

  @Test
  void anEmptyRangeIsNoFetch() throws StorageException {
    try (RangeReader reader = window(16).open(new ByteRange(7, 0), remote::open)) {
      assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
    assertThat(remote.opened()).isEmpty();
  }

  @Test
  void deliversInOrderWhateverTheOrderOfArrival() throws Exception {
    ByteRange range = new ByteRange(3, 45);
    Future<byte[]> bytes = read(window(16), range);
    eventually("all are in flight", () -> remote.inFlight() == 5);
    remote.answer(43, 23);
    eventually("two have arrived", () -> remote.filled() == 2);
    remote.answer(3, 13, 33);
    assertThat(bytes.get()).isEqualTo(FakeRemoteStore.bytes(range));
    assertThat(remote.opened())
        .containsExactlyInAnyOrder(
            new ByteRange(3, 10),
            new ByteRange(13, 10),
            new ByteRange(23, 10),
            new ByteRange(33, 10),
            new ByteRange(43, 5));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 16})
  void theWindowCountsTheHead(int maxChunks) throws Exception {
    Future<byte[]> bytes = read(window(maxChunks), ByteRange.whole(100 * CHUNK));
    for (int head = 0; head < 100 - maxChunks; head++) {
      int expected = head + maxChunks;
      eventually("the window is in flight", () -> remote.opened().size() == expected);
      assertThat(remote.inFlight()).isLessThanOrEqualTo(maxChunks);
      remote.answer((long) head * CHUNK);
    }
    remote.answerAll();
    assertThat(bytes.get()).isEqualTo(FakeRemoteStore.bytes(ByteRange.whole(100 * CHUNK)));
    assertThat(remote.peak()).isEqualTo(maxChunks);
    assertThat(remote.buffers()).isLessThanOrEqualTo(maxChunks);
  }

  @Test
  void opensWithAFewChunksAndDoublesWhenTheReaderWaitsForMore() throws Exception {
    int mebibyte = 1 << 20;
    ChunkWindow window = new ChunkWindow(mebibyte, 16, budget);
    Future<Long> total =
        threads.submit(() -> count(window.open(ByteRange.whole(20L * mebibyte), remote::open)));
    eventually("4 MiB are in flight", () -> remote.opened().size() == 4);
    assertThat(budget.used()).isEqualTo(4L * mebibyte);
    remote.answer(0);
    eventually("it has doubled", () -> remote.opened().size() == 1 + 8);
    remote.answer(mebibyte);
    eventually("it has doubled again", () -> remote.opened().size() == 2 + 16);
    remote.answer(2L * mebibyte);
    eventually("it is full", () -> remote.opened().size() == 3 + 16);
    assertThat(budget.used()).isEqualTo(16L * mebibyte);
    remote.answerAll();
    assertThat(total.get()).isEqualTo(20L * mebibyte);
    assertThat(remote.peak()).isEqualTo(16);
  }

  /** What queues up behind the missing chunk is replaced in flight, but never beyond the memory. */
  @Test
  void aWaitingReaderKeepsTheWindowInFlight() throws Exception {
    Future<byte[]> bytes = read(window(4), ByteRange.whole(20 * CHUNK));
    eventually("four are in flight", () -> remote.opened().size() == 4);
    remote.answer(0);
    eventually("1 is the head", () -> remote.opened().size() == 5);
    remote.answer(20, 30, 40);
    eventually("three queue up, four are in flight", () -> remote.opened().size() == 8);
    eventually("the three have memory", () -> remote.filled() == 4);
    assertThat(remote.inFlight()).isEqualTo(4);
    remote.answer(50, 60, 70);
    // They have no memory until the head is there: it is the reader's turn.
    assertThat(remote.filled()).isEqualTo(4);
    assertThat(remote.opened()).hasSize(8);
    remote.answerAll();
    assertThat(bytes.get()).isEqualTo(FakeRemoteStore.bytes(ByteRange.whole(20 * CHUNK)));
    assertThat(remote.peak()).isEqualTo(4);
    assertThat(remote.buffers()).isLessThanOrEqualTo(4);
  }

  @Test
  void aSlowReaderStopsTheFetching() throws StorageException {
    FakeRemoteStore fast = new FakeRemoteStore();
    try (RangeReader reader = window(8).open(ByteRange.whole(100 * CHUNK), fast::open)) {
      ChunkReader slow = (ChunkReader) reader;
      eventually("all have arrived", () -> slow.inFlight() == 0);
      assertThat(fast.opened()).hasSize(8);
      assertThat(reader.read(ByteBuffer.allocate(CHUNK - 1))).isEqualTo(CHUNK - 1);
      // A chunk that is being read is one of the window.
      assertThat(fast.opened()).hasSize(8);
    }
  }

  @Test
  void shrinksToTheHeadAndTheNextWhileChunksQueueUp() throws StorageException {
    FakeRemoteStore fast = new FakeRemoteStore();
    try (RangeReader reader = window(8).open(ByteRange.whole(100 * CHUNK), fast::open)) {
      ChunkReader slow = (ChunkReader) reader;
      for (int delivered = 0; delivered < 50; delivered++) {
        eventually("all have arrived", () -> slow.inFlight() == 0);
        assertThat(reader.read(ByteBuffer.allocate(CHUNK))).isEqualTo(CHUNK);
      }
      eventually("all have arrived", () -> slow.inFlight() == 0);
      assertThat(fast.opened()).hasSize(52);
      assertThat(budget.used()).isEqualTo(2 * CHUNK);
    }
  }

  /** No backend waits for a reader that has become slow with an answer half sent. */
  @Test
  void fetchesThatGetNoMemoryArePutOff() throws Exception {
    ChunkWindow window = new ChunkWindow(CHUNK, 4, budget, Duration.ZERO);
    ByteRange range = ByteRange.whole(20 * CHUNK);
    Future<byte[]> bytes = read(window, range);
    remote.answer(0);
    eventually("1 is the head", () -> remote.opened().size() == 5);
    remote.answer(20, 30, 40);
    eventually("four more are in flight", () -> remote.opened().size() == 8);
    eventually("the three have memory", () -> remote.filled() == 4);
    remote.answer(50, 60, 70);
    eventually("only the head is in flight", () -> remote.inFlight() == 1);
    assertThat(remote.filled()).isEqualTo(4);
    remote.answerAll();
    assertThat(bytes.get()).isEqualTo(FakeRemoteStore.bytes(range));
    assertThat(remote.opened()).hasSizeGreaterThanOrEqualTo(20 + 3);
    assertThat(remote.peak()).isLessThanOrEqualTo(4);
    assertThat(remote.buffers()).isLessThanOrEqualTo(4);
  }

  /** A fetch that was put off counts until it has ended; its reader may have nothing else then. */
  @Test
  void aReaderGetsTheChunkThatWasPutOffWhenItsFirstFetchEnds() throws Exception {
    TransferBudget shared = new TransferBudget(2 * CHUNK);
    ChunkWindow window = new ChunkWindow(CHUNK, 4, shared, Duration.ZERO);
    CountDownLatch isClosing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    ChunkSource endsLate =
        chunk -> {
          RangeReader answer = remote.open(chunk);
          return chunk.position() == 3 * CHUNK && isClosing.getCount() > 0
              ? new ClosedLate(answer, isClosing, goOn)
              : answer;
        };
    ByteRange range = ByteRange.whole(5 * CHUNK);
    CountDownLatch hasThree = new CountDownLatch(1);
    AtomicReference<Thread> thread = new AtomicReference<>();
    Future<byte[]> rest =
        threads.submit(() -> {
          thread.set(Thread.currentThread());
          try (RangeReader reader = window.open(range, endsLate)) {
            take(reader, 3 * CHUNK);
            hasThree.countDown();
            return drain(reader, 2 * CHUNK);
          }
        });
    remote.answer(0);
    eventually("1 is the head", () -> remote.opened().size() == 3);
    remote.answer(20);
    eventually("2 has come, 3 is in flight", () -> remote.opened().size() == 4);
    remote.answer(30);
    isClosing.await();
    TransferBudget.Share newcomer = shared.join(() -> {});
    assertThat(newcomer.tryAcquire(CHUNK)).isTrue();
    remote.answer(10);
    hasThree.await();
    eventually("it waits for 3", () -> thread.get().getState() == Thread.State.WAITING);
    assertThat(remote.opened()).hasSize(4);
    goOn.countDown();
    remote.answerAll();
    assertThat(rest.get(60, TimeUnit.SECONDS))
        .isEqualTo(FakeRemoteStore.bytes(new ByteRange(3 * CHUNK, 2 * CHUNK)));
    newcomer.release(CHUNK);
    newcomer.close();
    eventually("the budget is given back", () -> shared.used() == 0);
  }

  @Test
  void theFirstChunksFailureIsKnownFromOpen() {
    StorageException failure = FakeRemoteStore.broken("first");
    remote.fail(0, failure);
    assertThatThrownBy(() -> window(4).open(ByteRange.whole(100), remote::open)).isSameAs(failure);
    assertThatThrownBy(() -> window(4).open(ByteRange.whole(CHUNK), remote::open))
        .isSameAs(failure);
    eventually("the rest is cancelled", () -> remote.interrupted() == 3);
  }

  @ParameterizedTest
  @MethodSource("failures")
  void theFirstFailureCancelsTheRestAndIsThrown(Exception failure) throws StorageException {
    remote.answer(0);
    try (RangeReader reader = window(8).open(ByteRange.whole(1000), remote::open)) {
      remote.fail(50, failure);
      eventually("the rest is cancelled", () -> remote.interrupted() == 6);
      assertThatThrownBy(() -> drain(reader, 1000)).isSameAs(failure);
      assertThatThrownBy(() -> drain(reader, 1000)).isSameAs(failure);
      assertThat(remote.opened()).hasSize(8);
    }
  }

  static List<Exception> failures() {
    return List.of(FakeRemoteStore.broken("one"), new IllegalStateException("two"));
  }

  @Test
  void aFailureWhileTheHeadIsBeingReadTakesNoBufferFromUnderTheReader() throws StorageException {
    remote.answer(0);
    ChunkWindow window = window(2);
    try (RangeReader reader = window.open(ByteRange.whole(100), remote::open)) {
      ByteBuffer some = ByteBuffer.allocate(3);
      assertThat(reader.read(some)).isEqualTo(3);
      remote.fail(10, FakeRemoteStore.broken("next"));
      eventually("only the head is left", () -> budget.used() == CHUNK);
      try (RangeReader other = window.open(new ByteRange(500, 30), new FakeRemoteStore()::open)) {
        assertThat(drain(other, 30)).isEqualTo(FakeRemoteStore.bytes(new ByteRange(500, 30)));
      }
      assertThat(some.array()).isEqualTo(FakeRemoteStore.bytes(new ByteRange(0, 3)));
      assertThatThrownBy(() -> reader.read(some.clear())).hasMessageContaining("next");
      assertThat(budget.used()).isEqualTo(CHUNK);
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void aFetchThatEndsEarlyIsAFailure() {
    for (int missing : new int[] {1, CHUNK}) {
      ChunkSource truncated =
          range -> answering(new ByteRange(range.position(), range.length() - missing));
      for (int length : new int[] {100, CHUNK}) {
        assertThatThrownBy(() -> drain(window(4).open(ByteRange.whole(length), truncated), length))
            .isInstanceOf(StorageException.StorageUnavailable.class)
            .hasMessageContaining("ended early");
      }
    }
  }

  @Test
  void closingCancelsAndGivesBack() throws StorageException {
    remote.answer(0, 30);
    RangeReader reader = window(8).open(ByteRange.whole(1000), remote::open);
    assertThat(reader.read(ByteBuffer.allocate(1))).isOne();
    eventually("one queues up", () -> remote.filled() == 2);
    assertThat(reader.isOpen()).isTrue();
    reader.close();
    reader.close();
    assertThat(reader.isOpen()).isFalse();
    assertThat(budget.transfers()).isZero();
    eventually("the rest is cancelled", () -> remote.interrupted() == 6);
    assertThat(remote.opened()).hasSize(8);
    assertThatIllegalStateException().isThrownBy(() -> reader.read(ByteBuffer.allocate(1)));
  }

  /** Its buffer is nobody else's, and is counted, until it has ended. */
  @Test
  void aFetchThatDoesNotGiveUpHarmsNobody() throws StorageException {
    CountDownLatch closed = new CountDownLatch(1);
    AtomicReference<ByteBuffer> late = new AtomicReference<>();
    ChunkSource stubborn =
        range ->
            new Hooked(
                answering(range),
                target -> {
                  if (range.position() > 0) {
                    late.set(target);
                    awaitStubbornly(closed);
                  }
                });
    ChunkWindow window = window(2);
    RangeReader abandoned = window.open(ByteRange.whole(20), stubborn);
    eventually("the second has a buffer", () -> late.get() != null);
    abandoned.close();
    assertThat(budget.used()).isEqualTo(CHUNK);
    Set<ByteBuffer> others =
        Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
    ChunkSource recording = range -> new Hooked(answering(range), others::add);
    for (int i = 0; i < 10; i++) {
      try (RangeReader other = window.open(ByteRange.whole(30), recording)) {
        assertThat(drain(other, 30)).isEqualTo(FakeRemoteStore.bytes(ByteRange.whole(30)));
      }
    }
    assertThat(others.contains(late.get())).isFalse();
    closed.countDown();
    eventually("it is given back when it ends", () -> budget.used() == 0);
  }

  @Test
  void anInterruptedReaderCancels() throws Exception {
    AtomicBoolean isInterrupted = new AtomicBoolean();
    AtomicReference<Thread> reader = new AtomicReference<>();
    Future<StorageException> thrown =
        threads.submit(() -> {
          reader.set(Thread.currentThread());
          try (RangeReader open = window(4).open(ByteRange.whole(100), remote::open)) {
            drain(open, 100);
            throw new AssertionError("Nothing was thrown");
          } catch (StorageException e) {
            isInterrupted.set(Thread.currentThread().isInterrupted());
            return e;
          }
        });
    remote.answer(0, 10);
    eventually("the third is the head", () -> remote.opened().size() == 6);
    reader.get().interrupt();
    assertThat(thrown.get()).hasMessageContaining("interrupted");
    assertThat(isInterrupted).isTrue();
    eventually("the rest is cancelled", () -> remote.inFlight() == 0);
  }

  @Test
  void anInterruptedReaderOfOneChunkCancels() throws Exception {
    AtomicReference<Thread> reader = new AtomicReference<>();
    Future<byte[]> bytes =
        threads.submit(() -> {
          reader.set(Thread.currentThread());
          return drain(window(4).open(ByteRange.whole(CHUNK), remote::open), CHUNK);
        });
    eventually("it is in flight", () -> remote.inFlight() == 1);
    reader.get().interrupt();
    assertThatThrownBy(bytes::get).hasRootCauseInstanceOf(InterruptedException.class);
  }

  /** The next chunk fails in the moment in which the reader begins to wait for it. */
  @Test
  void aFailureThatMeetsTheReaderIsThatFailure() throws Exception {
    Random random = new Random(7);
    for (int i = 0; i < 2000; i++) {
      CountDownLatch asked = new CountDownLatch(1);
      long nanos = random.nextInt(150_000);
      ChunkSource failing =
          chunk -> {
            if (chunk.position() == 0) {
              return answering(chunk);
            }
            try {
              asked.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            throw FakeRemoteStore.broken("next");
          };
      try (RangeReader reader = window(4).open(ByteRange.whole(100L * CHUNK), failing)) {
        assertThat(reader.read(ByteBuffer.allocate(CHUNK))).isEqualTo(CHUNK);
        asked.countDown();
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < nanos) {
          Thread.onSpinWait();
        }
        assertThatThrownBy(() -> reader.read(ByteBuffer.allocate(CHUNK)))
            .isInstanceOf(StorageException.class)
            .hasMessageContaining("next");
      }
    }
  }

  @Test
  void aFullBufferIsNoRead() throws StorageException {
    try (RangeReader reader = window(4).open(ByteRange.whole(25), new FakeRemoteStore()::open)) {
      assertThat(reader.read(ByteBuffer.allocate(0))).isZero();
      assertThat(drain(reader, 25)).hasSize(25);
      assertThat(reader.read(ByteBuffer.allocate(0))).isEqualTo(-1);
    }
  }

  /** Any range, chunk, window, budget, buffer and schedule: exact bytes, and never over a bound. */
  @ParameterizedTest
  @MethodSource("seeds")
  void holdsUnderRandomSchedules(long seed) throws Exception {
    Random random = new Random(seed);
    int chunkLength = 1 + random.nextInt(64);
    int maxChunks = 1 + random.nextInt(20);
    TransferBudget small =
        new TransferBudget((long) chunkLength * (1 + random.nextInt(2 * maxChunks)));
    ChunkWindow window =
        new ChunkWindow(
            chunkLength, maxChunks, small, random.nextBoolean() ? FOR_EVER : Duration.ZERO);
    ByteRange range = new ByteRange(random.nextInt(5000), random.nextInt(60 * chunkLength));
    boolean fails = random.nextInt(4) == 0;
    long failing = range.position() + random.nextInt(60) * (long) chunkLength;
    FakeRemoteStore counted = new FakeRemoteStore();
    ChunkSource jittery =
        chunk -> {
          pause(new Random(seed ^ chunk.position()));
          if (fails && chunk.position() == failing) {
            throw FakeRemoteStore.broken("at " + failing);
          }
          assertThat(small.used()).isLessThanOrEqualTo((long) chunkLength * maxChunks);
          return counted.open(chunk);
        };
    try (RangeReader reader = window.open(range, jittery)) {
      ByteBuffer read = ByteBuffer.allocate((int) range.length());
      while (read.hasRemaining() && (fails || random.nextInt(1000) > 0)) {
        int limit = Math.min(read.capacity(), read.position() + 1 + random.nextInt(100));
        assertThat(reader.read(read.limit(limit))).isPositive();
        read.limit(read.capacity());
        if (random.nextInt(4) == 0) {
          pause(random);
        }
        if (random.nextInt(4) == 0) {
          reader.rest();
        }
      }
      assertThat(read.flip())
          .isEqualTo(ByteBuffer.wrap(FakeRemoteStore.bytes(range), 0, read.limit()));
      if (read.limit() == range.length()) {
        assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(fails && failing < range.end()).isFalse();
      }
    } catch (StorageException e) {
      assertThat(fails).isTrue();
      assertThat(e).hasMessageContaining("at " + failing);
    }
    assertThat(counted.peak()).isLessThanOrEqualTo(maxChunks);
    assertThat(counted.buffers()).isLessThanOrEqualTo(maxChunks);
    eventually("the budget is given back", () -> small.used() == 0);
    eventually("every answer is closed", () -> counted.inFlight() == 0);
    assertThat(small.transfers()).isZero();
  }

  static LongStream seeds() {
    return LongStream.range(0, 500);
  }

  @Test
  void aHundredReadersShareTheBudgetAndGiveItBack() throws Exception {
    int readers = 100;
    TransferBudget shared = new TransferBudget(50L * CHUNK);
    ChunkWindow window = new ChunkWindow(CHUNK, 16, shared);
    AtomicLong most = new AtomicLong();
    ConcurrentHashMap<Long, Integer> inFlight = new ConcurrentHashMap<>();
    List<Future<byte[]>> all = new ArrayList<>();
    for (long i = 0; i < readers; i++) {
      long position = i * 1_000_000;
      ByteRange range = new ByteRange(position, 505);
      ChunkSource jittery =
          chunk -> {
            inFlight.merge(position, 1, Integer::sum);
            assertThat(inFlight.get(position)).isLessThanOrEqualTo(16);
            pause(new Random(chunk.position()));
            return new Hooked(
                answering(chunk),
                _ -> {
                  most.accumulateAndGet(shared.used(), Math::max);
                  inFlight.merge(position, -1, Integer::sum);
                });
          };
      all.add(
          threads.submit(() -> {
            try (RangeReader reader = window.open(range, jittery)) {
              return drain(reader, 505);
            }
          }));
    }
    for (int i = 0; i < readers; i++) {
      assertThat(all.get(i).get())
          .isEqualTo(FakeRemoteStore.bytes(new ByteRange(i * 1_000_000L, 505)));
    }
    assertThat(most.get()).isLessThanOrEqualTo((50L + readers) * CHUNK);
    eventually("the budget is given back", () -> shared.used() == 0);
    assertThat(shared.transfers()).isZero();
    assertThat(shared.waiting()).isZero();
  }

  @Test
  void windowsShrinkForANewcomerAndGrowAgain() throws Exception {
    TransferBudget shared = new TransferBudget(8L * CHUNK);
    ChunkWindow window = new ChunkWindow(CHUNK, 8, shared);
    FakeRemoteStore newcomers = FakeRemoteStore.thatAnswersWhenTold();
    Future<byte[]> first = read(window, ByteRange.whole(100 * CHUNK));
    eventually("the first has it all", () -> remote.opened().size() == 8);
    Future<byte[]> second =
        threads.submit(() -> {
          try (RangeReader reader = window.open(ByteRange.whole(4 * CHUNK), newcomers::open)) {
            return drain(reader, 4 * CHUNK);
          }
        });
    eventually("the second has one", () -> newcomers.opened().size() == 1);
    assertThat(shared.used()).isEqualTo(9L * CHUNK);
    // The second gets its share of what the first drains: one chunk repays what is used beyond the
    // limit, and each of the next three is passed on. One after the other: a chunk that overtakes
    // the head would be replaced by another in flight.
    remote.answer(0);
    eventually("nothing is used beyond the limit", () -> shared.used() == 8L * CHUNK);
    for (int head = 1; head < 4; head++) {
      remote.answer((long) head * CHUNK);
      int share = head + 1;
      eventually("the second gets it", () -> newcomers.opened().size() == share);
    }
    assertThat(remote.opened()).hasSize(8);
    newcomers.answerAll();
    assertThat(second.get()).isEqualTo(FakeRemoteStore.bytes(ByteRange.whole(4 * CHUNK)));
    eventually("the first has it all again", () -> remote.opened().size() == 12);
    assertThat(shared.used()).isEqualTo(8L * CHUNK);
    remote.answerAll();
    assertThat(first.get()).hasSize(100 * CHUNK);
    eventually("the budget is given back", () -> shared.used() == 0);
  }

  private ChunkWindow window(int maxChunks) {
    return new ChunkWindow(CHUNK, maxChunks, budget, FOR_EVER);
  }

  private Future<byte[]> read(ChunkWindow window, ByteRange range) {
    Callable<byte[]> reading =
        () -> {
          try (RangeReader reader = window.open(range, remote::open)) {
            return drain(reader, (int) range.length());
          }
        };
    return threads.submit(reading);
  }

  /** An answer of the right bytes, all at once. */
  private static RangeReader answering(ByteRange range) throws StorageException {
    return new FakeRemoteStore().open(range);
  }

  private static byte[] drain(RangeReader reader, int length) throws StorageException {
    byte[] bytes = take(reader, length);
    assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    return bytes;
  }

  private static byte[] take(RangeReader reader, int length) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      assertThat(reader.read(bytes)).isPositive();
    }
    return bytes.array();
  }

  private static long count(RangeReader reader) throws StorageException {
    long total = 0;
    ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
    try (reader) {
      for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
        total += n;
        buffer.clear();
      }
    }
    return total;
  }

  private static void awaitStubbornly(CountDownLatch latch) {
    boolean isDone = false;
    while (!isDone) {
      try {
        latch.await();
        isDone = true;
      } catch (InterruptedException e) {
        // That is the point.
      }
    }
  }

  private static void pause(Random random) {
    if (random.nextInt(3) == 0) {
      LockSupport.parkNanos(random.nextInt(500_000));
    }
  }

  /** An answer that something is done before it is read; once, the tests' chunks being small. */
  private record Hooked(RangeReader answer, Consumer<ByteBuffer> beforeRead)
      implements RangeReader {
    @Override
    public int read(ByteBuffer target) throws StorageException {
      beforeRead.accept(target);
      return answer.read(target);
    }

    @Override
    public Wait waitToRead(int length) {
      return answer.waitToRead(length);
    }

    @Override
    public boolean isOpen() {
      return answer.isOpen();
    }

    @Override
    public void close() {
      answer.close();
    }
  }

  /** An answer that takes until the test says so to be closed. */
  private record ClosedLate(RangeReader answer, CountDownLatch isClosing, CountDownLatch goOn)
      implements RangeReader {
    @Override
    public int read(ByteBuffer target) throws StorageException {
      return answer.read(target);
    }

    @Override
    public Wait waitToRead(int length) {
      return answer.waitToRead(length);
    }

    @Override
    public boolean isOpen() {
      return answer.isOpen();
    }

    @Override
    public void close() {
      isClosing.countDown();
      awaitStubbornly(goOn);
      answer.close();
    }
  }

  /** Answers with a part, and goes on when the test says so. */
  private static final class HalfFetch implements ChunkSource {
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final int first;
    private volatile @Nullable StorageException failure;
    private volatile boolean hasWritten;

    private HalfFetch(int first) {
      this.first = first;
    }

    @Override
    public RangeReader open(ByteRange range) {
      ByteBuffer bytes = ByteBuffer.wrap(FakeRemoteStore.bytes(range)).limit(first);
      return new RangeReader() {
        @Override
        public int read(ByteBuffer target) throws StorageException {
          if (!bytes.hasRemaining()) {
            awaitStubbornly(goOn);
            if (failure != null) {
              throw failure;
            }
            bytes.limit(bytes.capacity());
          }
          int length = bytes.remaining();
          target.put(bytes);
          hasWritten = bytes.limit() == bytes.capacity();
          return length;
        }

        @Override
        public Wait waitToRead(int length) {
          return Wait.REMOTE;
        }

        @Override
        public boolean isOpen() {
          return true;
        }

        @Override
        public void close() {
          awaitStubbornly(goOn);
        }
      };
    }
  }
}

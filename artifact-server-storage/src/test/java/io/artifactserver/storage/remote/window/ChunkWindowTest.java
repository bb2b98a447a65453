package io.artifactserver.storage.remote.window;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many chunks are asked for, and in memory, while a reader keeps up or waits. */
class ChunkWindowTest extends ChunkWindowFixture {
  @Test
  void refusesAWindowOfNothing() {
    assertThatIllegalArgumentException().isThrownBy(() -> new ChunkWindow(0, 1, budget));
    assertThatIllegalArgumentException().isThrownBy(() -> new ChunkWindow(1, 0, budget));
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

  /**
   * Chunks that queue up behind the missing one are replaced in flight, but never beyond the
   * memory.
   */
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
  void aFullBufferIsNoRead() throws StorageException {
    try (RangeReader reader = window(4).open(ByteRange.whole(25), new FakeRemoteStore()::open)) {
      assertThat(reader.read(ByteBuffer.allocate(0))).isZero();
      assertThat(drain(reader, 25)).hasSize(25);
      assertThat(reader.read(ByteBuffer.allocate(0))).isEqualTo(-1);
    }
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
}

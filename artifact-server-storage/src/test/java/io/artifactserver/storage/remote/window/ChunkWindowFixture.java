package io.artifactserver.storage.remote.window;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A remote store that answers when the test says so, and windows on it. */
// A window that is stuck fails instead of stopping the build.
@Timeout(120)
abstract class ChunkWindowFixture {
  static final int CHUNK = 10;
  static final Duration FOR_EVER = Duration.ofDays(1);

  final TransferBudget budget = new TransferBudget(1 << 30);
  final FakeRemoteStore remote = FakeRemoteStore.thatAnswersWhenTold();
  final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void nothingIsLeft() {
    remote.answerAll();
    threads.shutdownNow();
    eventually("the budget is given back", () -> budget.used() == 0);
    assertThat(budget.transfers()).isZero();
    assertThat(budget.waiting()).isZero();
  }

  ChunkWindow window(int maxChunks) {
    return new ChunkWindow(CHUNK, maxChunks, budget, FOR_EVER);
  }

  Future<byte[]> read(ChunkWindow window, ByteRange range) {
    Callable<byte[]> reading =
        () -> {
          try (RangeReader reader = window.open(range, remote::open)) {
            return drain(reader, (int) range.length());
          }
        };
    return threads.submit(reading);
  }

  /** An answer of the right bytes, all at once. */
  static RangeReader answering(ByteRange range) throws StorageException {
    return new FakeRemoteStore().open(range);
  }

  static byte[] drain(RangeReader reader, int length) throws StorageException {
    byte[] bytes = take(reader, length);
    assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    return bytes;
  }

  static byte[] take(RangeReader reader, int length) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      assertThat(reader.read(bytes)).isPositive();
    }
    return bytes.array();
  }

  static void awaitStubbornly(CountDownLatch latch) {
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

  /** An answer that something is done before it is read; once, the tests' chunks being small. */
  record Hooked(RangeReader answer, Consumer<ByteBuffer> beforeRead) implements RangeReader {
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
}

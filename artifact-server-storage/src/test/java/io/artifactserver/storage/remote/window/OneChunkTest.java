package io.artifactserver.storage.remote.window;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A range that fits in one chunk is read as it comes. */
class OneChunkTest extends ChunkWindowFixture {
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

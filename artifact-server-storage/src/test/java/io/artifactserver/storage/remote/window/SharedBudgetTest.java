package io.artifactserver.storage.remote.window;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Readers that share a budget, and schedules that nobody planned. */
class SharedBudgetTest extends ChunkWindowFixture {
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

  private static void pause(Random random) {
    if (random.nextInt(3) == 0) {
      LockSupport.parkNanos(random.nextInt(500_000));
    }
  }
}

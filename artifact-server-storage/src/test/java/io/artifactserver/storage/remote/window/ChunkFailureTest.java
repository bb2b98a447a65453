package io.artifactserver.storage.remote.window;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fetches that fail or end early, and readers that are closed or interrupted. */
class ChunkFailureTest extends ChunkWindowFixture {
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
}

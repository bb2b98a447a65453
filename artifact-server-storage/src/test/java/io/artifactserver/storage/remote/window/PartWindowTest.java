package io.artifactserver.storage.remote.window;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

// A window that is stuck fails instead of stopping the build.
@Timeout(120)
class PartWindowTest {
  private static final int PART = 10;

  private final TransferBudget budget = new TransferBudget(1 << 30);
  private final Sink sink = new Sink();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void nothingIsLeft() {
    sink.answers.values().forEach(answer -> answer.complete(null));
    threads.shutdownNow();
    eventually("the budget is given back", () -> budget.used() == 0);
    assertThat(budget.transfers()).isZero();
  }

  @Test
  void refusesAWindowOfNothing() {
    assertThatIllegalArgumentException().isThrownBy(() -> new PartWindow(_ -> PART, 0, budget));
  }

  @Test
  void partsAreAsLongAsTheirNumbersSay() throws StorageException {
    sink.answersAtOnce = true;
    PartWindow window = new PartWindow(number -> 10 * number, 4, budget);
    try (PartWriter writer = window.open(sink)) {
      writer.write(ByteBuffer.wrap(content(65)));
      assertThat(writer.finish()).isEqualTo(4);
    }
    assertThat(sink.lengths()).containsExactly(10, 20, 30, 5);
    assertThat(sink.content()).isEqualTo(content(65));
  }

  @Test
  void noBytesAreNoPart() throws StorageException {
    try (PartWriter writer = window(4).open(sink)) {
      writer.write(ByteBuffer.allocate(0));
      assertThat(writer.finish()).isZero();
    }
  }

  @Test
  void aFullPartIsNotFollowedByAnEmptyOne() throws StorageException {
    sink.answersAtOnce = true;
    try (PartWriter writer = window(1).open(sink)) {
      writer.write(ByteBuffer.wrap(content(20)));
      assertThat(writer.finish()).isEqualTo(2);
    }
    assertThat(sink.lengths()).containsExactly(10, 10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void theWindowCountsThePartThatIsBeingFilled(int maxParts) throws Exception {
    Future<Integer> parts = write(window(maxParts), 100);
    for (int sent = 0; sent < 10 - maxParts; sent++) {
      int expected = sent + maxParts;
      eventually("the window is in flight", () -> sink.begun.get() == expected);
      assertThat(budget.used()).isEqualTo((long) maxParts * PART);
      sink.answer(sent + 1).complete(null);
    }
    for (int number = 1; number <= 10; number++) {
      sink.answer(number).complete(null);
    }
    assertThat(parts.get()).isEqualTo(10);
    assertThat(sink.peak.get()).isEqualTo(maxParts);
    assertThat(sink.content()).isEqualTo(content(100));
  }

  @Test
  void whoeverWritesWaitsOnlyForAFreePart() throws StorageException {
    try (PartWriter writer = window(3).open(sink)) {
      writer.write(ByteBuffer.wrap(content(25)));
      eventually("two are in flight", () -> sink.begun.get() == 2);
      assertThat(budget.used()).isEqualTo(3 * PART);
    }
  }

  @Test
  void theFirstFailureCancelsTheRestAndIsThrown() throws StorageException {
    StorageException failure = FakeRemoteStore.broken("two");
    try (PartWriter writer = window(5).open(sink)) {
      writer.write(ByteBuffer.wrap(content(45)));
      sink.answer(2).complete(failure);
      eventually("the rest is cancelled", () -> sink.interrupted.get() == 3);
      eventually("all but the one being filled is given back", () -> budget.used() == PART);
      assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1))).isSameAs(failure);
      assertThatThrownBy(writer::finish).isSameAs(failure);
    }
    assertThat(sink.begun.get()).isEqualTo(4);
  }

  @Test
  void aFailureWakesWhoeverWaits() throws Exception {
    StorageException failure = FakeRemoteStore.broken("one");
    Future<Integer> writing = write(window(2), 100);
    eventually("the window is in flight", () -> sink.begun.get() == 2);
    sink.answer(1).complete(failure);
    assertThatThrownBy(writing::get).hasCause(failure);
    Future<Integer> finishing = write(window(2), 5);
    eventually("the last is in flight", () -> sink.begun.get() == 3);
    assertThatThrownBy(finishing::get).hasCause(failure);
  }

  @Test
  void closingCancelsAndWaitsUntilNothingIsSent() throws Exception {
    CountDownLatch isSending = new CountDownLatch(1);
    CountDownLatch hasGivenUp = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    PartWriter writer =
        window(2)
            .open((_, _) -> {
              isSending.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                hasGivenUp.countDown();
                awaitUninterrupted(mayEnd);
              }
            });
    writer.write(ByteBuffer.wrap(content(15)));
    isSending.await();
    Future<?> closing = threads.submit(writer::close);
    hasGivenUp.await();
    eventually("the upload is no transfer any more", () -> budget.transfers() == 0);
    eventually("the part being filled is given back", () -> budget.used() == PART);
    assertThat(closing.isDone()).isFalse();
    mayEnd.countDown();
    closing.get();
    assertThat(budget.used()).isZero();
    writer.close();
    assertThatIllegalStateException().isThrownBy(() -> writer.write(ByteBuffer.allocate(1)));
    assertThatIllegalStateException().isThrownBy(writer::finish);
  }

  @Test
  void anInterruptedWriterCancels() throws Exception {
    AtomicReference<Thread> writer = new AtomicReference<>();
    Future<Boolean> isInterrupted =
        threads.submit(() -> {
          writer.set(Thread.currentThread());
          try (PartWriter open = window(2).open(sink)) {
            open.write(ByteBuffer.wrap(content(100)));
            throw new AssertionError("Nothing was thrown");
          } catch (StorageException e) {
            assertThat(e).hasMessageContaining("interrupted");
            return Thread.currentThread().isInterrupted();
          }
        });
    eventually("the window is in flight", () -> sink.begun.get() == 2);
    writer.get().interrupt();
    assertThat(isInterrupted.get()).isTrue();
    assertThat(sink.inFlight.get()).isZero();
  }

  @Test
  void aSpentBudgetLeavesEachUploadOnePart() throws Exception {
    TransferBudget spent = new TransferBudget(1);
    PartWindow window = new PartWindow(_ -> PART, 4, spent);
    sink.answersAtOnce = true;
    try (PartWriter writer = window.open(sink)) {
      writer.write(ByteBuffer.wrap(content(95)));
      assertThat(spent.used()).isEqualTo(PART);
      assertThat(writer.finish()).isEqualTo(10);
    }
    assertThat(sink.peak.get()).isOne();
    assertThat(spent.used()).isZero();
  }

  @Test
  void whoeverWaitsForTheBudgetIsWoken() throws Exception {
    TransferBudget shared = new TransferBudget(2 * PART);
    PartWindow window = new PartWindow(_ -> PART, 4, shared);
    TransferBudget.Share other = shared.join(() -> {});
    assertThat(other.tryAcquire(PART)).isTrue();
    Future<Integer> parts = write(window, 40);
    eventually("it waits for the budget", () -> shared.waiting() == 1);
    eventually("its first part is sent", () -> sink.begun.get() == 1);
    other.release(PART);
    eventually("it has the other's", () -> sink.begun.get() == 2);
    other.close();
    for (int number = 1; number <= 4; number++) {
      sink.answer(number).complete(null);
    }
    assertThat(parts.get()).isEqualTo(4);
    assertThat(shared.used()).isZero();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void holdsUnderRandomSchedules(long seed) throws StorageException {
    Random random = new Random(seed);
    int first = 1 + random.nextInt(50);
    int maxParts = 1 + random.nextInt(8);
    int length = random.nextInt(2000);
    TransferBudget small = new TransferBudget(1 + random.nextInt(500));
    PartWindow window = new PartWindow(number -> first + number / 4, maxParts, small);
    sink.answersAtOnce = true;
    PartSink jittery =
        (number, part) -> {
          if (new Random(seed + number).nextBoolean()) {
            LockSupport.parkNanos(100_000);
          }
          sink.send(number, part);
        };
    try (PartWriter writer = window.open(jittery)) {
      ByteBuffer bytes = ByteBuffer.wrap(content(length));
      while (bytes.hasRemaining()) {
        bytes.limit(Math.min(length, bytes.position() + 1 + random.nextInt(100)));
        writer.write(bytes);
        bytes.limit(length);
      }
      assertThat(writer.finish()).isEqualTo(sink.sent.size());
    }
    assertThat(sink.content()).isEqualTo(content(length));
    assertThat(sink.peak.get()).isLessThanOrEqualTo(maxParts);
    assertThat(small.used()).isZero();
  }

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  private PartWindow window(int maxParts) {
    return new PartWindow(_ -> PART, maxParts, budget);
  }

  private Future<Integer> write(PartWindow window, int length) {
    return threads.submit(() -> {
      try (PartWriter writer = window.open(sink)) {
        writer.write(ByteBuffer.wrap(content(length)));
        return writer.finish();
      }
    });
  }

  private static byte[] content(int length) {
    return FakeRemoteStore.bytes(ByteRange.whole(length));
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError("Interrupted twice", e);
    }
  }

  /** Takes parts when the test says so, and counts. Thread-safe. */
  private static final class Sink implements PartSink {
    /** The result of each part, by its number: null is success. */
    private final Map<Integer, CompletableFuture<StorageException>> answers =
        new ConcurrentHashMap<>();

    private final Map<Integer, byte[]> sent = new ConcurrentHashMap<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();
    private final AtomicInteger interrupted = new AtomicInteger();
    private volatile boolean answersAtOnce;

    @Override
    public void send(int number, ByteBuffer part) throws StorageException {
      peak.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
      begun.incrementAndGet();
      try {
        StorageException failure = answersAtOnce ? null : answer(number).get();
        if (failure != null) {
          throw failure;
        }
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        sent.put(number, bytes);
      } catch (InterruptedException e) {
        interrupted.incrementAndGet();
        throw new StorageException.StorageUnavailable("fake", "cancelled", e);
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      } finally {
        inFlight.decrementAndGet();
      }
    }

    private CompletableFuture<StorageException> answer(int number) {
      return answers.computeIfAbsent(number, _ -> new CompletableFuture<>());
    }

    private int[] lengths() {
      return new TreeMap<>(sent).values().stream().mapToInt(bytes -> bytes.length).toArray();
    }

    private byte[] content() {
      ByteBuffer all = ByteBuffer.allocate(sent.values().stream().mapToInt(b -> b.length).sum());
      new TreeMap<>(sent).values().forEach(all::put);
      return all.array();
    }
  }
}

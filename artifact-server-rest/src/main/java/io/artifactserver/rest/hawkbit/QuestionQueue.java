package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.limit.FairQueue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks hawkBit so many questions at a time and a second; the rest wait, and clients take turns, so
 * that one with many questions delays its own. Known devices go before strangers, who have each
 * eighth turn and three quarters of the places under way. Thread-safe; nothing blocks.
 */
final class QuestionQueue implements AutoCloseable {
  /** There are too many questions, or this one waited for too long. */
  static final class QueueFullException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** After a refusal hawkBit is left alone for this long: its filter counts by the second. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1100);

  /** Questions that may be asked at once after a quiet time, as a share of a second's. */
  private static final int BURST_DIVISOR = 10;

  private static final Object UNKNOWN = new Object();

  /** Turns of known devices for one of a stranger, when both wait: new devices get on, too. */
  private static final int KNOWN_TURNS = 7;

  /** The part of the questions under way that strangers leave to known devices. */
  private static final int KNOWN_SHARE = 4;

  private final int parallel;
  private final int maxWaiting;
  private final long spacingNanos;
  private final long burstNanos;
  private final long patienceNanos;
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("hawkbit-pace").factory());

  /** Guarded by this object, with all below. */
  private final Line known = new Line();

  private final Line strangers = new Line();
  private int knownTurns;
  private long next = System.nanoTime();
  private boolean isScheduled;

  /**
   * @param parallel questions under way
   * @param perSecond questions
   * @param maxWaiting of all known devices, and of all strangers; one may have half of the places
   * @param patience after which a question that waits fails
   */
  QuestionQueue(int parallel, int perSecond, int maxWaiting, Duration patience) {
    this.parallel = parallel;
    this.maxWaiting = maxWaiting;
    this.spacingNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.burstNanos = TimeUnit.SECONDS.toNanos(1) / BURST_DIVISOR;
    this.patienceNanos = patience.toNanos();
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /**
   * Asks when it is this question's turn.
   *
   * @param asker whose turn it takes
   * @param question started on any thread; must not block. If it fails with a {@link
   *     HawkbitClient.TooManyRequestsException} it is asked again later.
   * @return fails as the question, or with a {@link QueueFullException}
   */
  <T> CompletableFuture<T> ask(Asker asker, Supplier<CompletableFuture<T>> question) {
    @Nullable Object client = asker.account();
    Waiting<T> entry =
        new Waiting<>(
            asker.isKnown() ? known : strangers,
            client == null ? UNKNOWN : client,
            question,
            System.nanoTime(),
            new CompletableFuture<>());
    synchronized (this) {
      FairQueue<Object, Waiting<?>> waiting = entry.line.waiting;
      int places = client == null ? maxWaiting : maxWaiting / 2;
      if (waiting.size() >= maxWaiting || waiting.size(entry.client) >= places) {
        return CompletableFuture.failedFuture(new QueueFullException());
      }
      waiting.add(entry.client, entry);
    }
    dispatch();
    return entry.result;
  }

  /** How many wait. */
  synchronized int waiting() {
    return known.waiting.size() + strangers.waiting.size();
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  private void dispatch() {
    while (true) {
      Waiting<?> entry = take();
      if (entry == null) {
        return;
      }
      if (System.nanoTime() - entry.since > patienceNanos) {
        ended(entry, false);
        entry.result.completeExceptionally(new QueueFullException());
      } else {
        start(entry);
      }
    }
  }

  private <T> void start(Waiting<T> entry) {
    CompletableFuture<T> answer;
    try {
      answer = entry.question.get();
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    var _ =
        answer.whenComplete((value, failure) -> {
          Throwable cause = failure == null ? null : HawkbitClient.cause(failure);
          boolean isRefused = cause instanceof HawkbitClient.TooManyRequestsException;
          ended(entry, isRefused);
          dispatch();
          if (isRefused) {
            return;
          }
          if (cause == null) {
            entry.result.complete(value);
          } else {
            entry.result.completeExceptionally(cause);
          }
        });
  }

  private synchronized void ended(Waiting<?> entry, boolean isRefused) {
    entry.line.running--;
    if (isRefused) {
      entry.line.waiting.addFirst(entry.client, entry);
      next = Math.max(next, System.nanoTime() + PAUSE_NANOS);
    }
  }

  /** Returns the next one if it may be asked now; sees to it that this is called again if not. */
  @SuppressWarnings("ReferenceEquality")
  private synchronized @Nullable Waiting<?> take() {
    Line line = turn();
    if (line == null || timer.isShutdown()) {
      return null;
    }
    long now = System.nanoTime();
    if (next - now > 0) {
      if (!isScheduled) {
        isScheduled = true;
        var _ = timer.schedule(this::onTime, next - now, TimeUnit.NANOSECONDS);
      }
      return null;
    }
    next = Math.max(next, now - burstNanos) + spacingNanos;
    knownTurns = line == strangers ? 0 : knownTurns + 1;
    line.running++;
    return line.waiting.poll().orElseThrow();
  }

  /** Returns the line whose turn it is; null if nobody waits who may be under way. */
  @SuppressWarnings("ReferenceEquality")
  private @Nullable Line turn() {
    if (known.running + strangers.running >= parallel) {
      return null;
    }
    boolean mayBeStrangers =
        !strangers.waiting.isEmpty() && strangers.running < parallel - parallel / KNOWN_SHARE;
    if (!known.waiting.isEmpty() && !(mayBeStrangers && knownTurns >= KNOWN_TURNS)) {
      return known;
    }
    return mayBeStrangers ? strangers : null;
  }

  private void onTime() {
    synchronized (this) {
      isScheduled = false;
    }
    dispatch();
  }

  /** Known devices, or strangers. Guarded by the queue. */
  private static final class Line {
    private final FairQueue<Object, Waiting<?>> waiting = FairQueue.inOrder();
    private int running;
  }

  private record Waiting<T>(
      Line line,
      Object client,
      Supplier<CompletableFuture<T>> question,
      long since,
      CompletableFuture<T> result) {}
}

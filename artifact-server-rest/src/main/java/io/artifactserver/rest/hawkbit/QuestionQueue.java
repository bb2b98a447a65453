package io.artifactserver.rest.hawkbit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks hawkBit so many questions at a time and a second; the rest wait, and clients take turns, so
 * that one with many questions delays its own. Thread-safe; nothing blocks.
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

  private final int parallel;
  private final int maxWaiting;
  private final long spacingNanos;
  private final long burstNanos;
  private final long patienceNanos;
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("hawkbit-pace").factory());

  /** Guarded by this object, with all below. In the order of their turns. */
  private final Map<Object, Deque<Waiting<?>>> clients = new LinkedHashMap<>();

  private int waiting;
  private int running;
  private long next = System.nanoTime();
  private boolean isScheduled;

  /**
   * @param parallel questions under way
   * @param perSecond questions
   * @param maxWaiting of all clients; one may have half of the places
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
   * @param client whose turn it takes; null if nobody knows
   * @param question started on any thread; must not block. If it fails with a {@link
   *     HawkbitClient.TooManyRequestsException} it is asked again later.
   * @return fails as the question, or with a {@link QueueFullException}
   */
  <T> CompletableFuture<T> ask(@Nullable Object client, Supplier<CompletableFuture<T>> question) {
    Waiting<T> entry =
        new Waiting<>(
            client == null ? UNKNOWN : client,
            question,
            System.nanoTime(),
            new CompletableFuture<>());
    synchronized (this) {
      Deque<Waiting<?>> own = clients.get(entry.client);
      int places = client == null ? maxWaiting : maxWaiting / 2;
      if (waiting >= maxWaiting || (own != null && own.size() >= places)) {
        return CompletableFuture.failedFuture(new QueueFullException());
      }
      add(entry, false);
    }
    dispatch();
    return entry.result;
  }

  /** How many wait. */
  synchronized int waiting() {
    return waiting;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  private synchronized void add(Waiting<?> entry, boolean isFirst) {
    Deque<Waiting<?>> own = clients.computeIfAbsent(entry.client, _ -> new ArrayDeque<>());
    if (isFirst) {
      own.addFirst(entry);
    } else {
      own.addLast(entry);
    }
    waiting++;
  }

  private void dispatch() {
    while (true) {
      Waiting<?> entry = take();
      if (entry == null) {
        return;
      }
      if (System.nanoTime() - entry.since > patienceNanos) {
        ended(false);
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
          if (isRefused) {
            add(entry, true);
          }
          ended(isRefused);
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

  private synchronized void ended(boolean isRefused) {
    running--;
    if (isRefused) {
      next = Math.max(next, System.nanoTime() + PAUSE_NANOS);
    }
  }

  /** Returns the next one if it may be asked now; sees to it that this is called again if not. */
  private synchronized @Nullable Waiting<?> take() {
    if (waiting == 0 || running >= parallel || timer.isShutdown()) {
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
    Iterator<Map.Entry<Object, Deque<Waiting<?>>>> turns = clients.entrySet().iterator();
    Map.Entry<Object, Deque<Waiting<?>>> turn = turns.next();
    Waiting<?> entry = turn.getValue().removeFirst();
    turns.remove();
    if (!turn.getValue().isEmpty()) {
      clients.put(entry.client, turn.getValue());
    }
    waiting--;
    running++;
    return entry;
  }

  private void onTime() {
    synchronized (this) {
      isScheduled = false;
    }
    dispatch();
  }

  private record Waiting<T>(
      Object client,
      Supplier<CompletableFuture<T>> question,
      long since,
      CompletableFuture<T> result) {}
}

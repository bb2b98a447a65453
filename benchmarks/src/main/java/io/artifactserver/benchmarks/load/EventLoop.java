package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * One thread of the HTTP/1.1 client: many connections, one selector, one buffer. Only {@link #call}
 * and {@link #close} may be called by other threads.
 */
final class EventLoop implements AutoCloseable {
  private static final int BUFFER_LENGTH = 256 * 1024;
  private static final Duration HAND_OVER = Duration.ofSeconds(30);
  private static final long SWEEP_NANOS = 250_000_000;

  private final Content content;
  private final long stallNanos;
  private final Selector selector;
  private final Thread thread;
  private final Tally tally = new Tally();
  private final ByteBuffer input = ByteBuffer.allocateDirect(BUFFER_LENGTH);
  private final ResponseHead responseHead = new ResponseHead();
  private final Set<Connection> connections = new HashSet<>();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private long timerCount;
  private volatile boolean closed;
  // Set once, by the loop's thread.
  private final CompletableFuture<Void> broken = new CompletableFuture<>();

  private record Timer(long due, long order, Runnable task) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byTime = Long.signum(due - other.due);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private EventLoop(String name, Content content, Duration stall) throws IOException {
    this.content = content;
    this.stallNanos = stall.toNanos();
    this.selector = Selector.open();
    this.thread = Thread.ofPlatform().name(name).unstarted(this::run);
  }

  /**
   * Starts a loop.
   *
   * @param stall how long a request may make no progress before it has failed
   */
  static EventLoop start(String name, Content content, Duration stall) {
    try {
      EventLoop loop = new EventLoop(name, content, stall);
      loop.thread.start();
      return loop;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot open a selector", e);
    }
  }

  Content content() {
    return content;
  }

  Tally tally() {
    return tally;
  }

  /** The buffer that every connection reads into; what is in it is gone at the next read. */
  ByteBuffer input() {
    return input;
  }

  ResponseHead responseHead() {
    return responseHead;
  }

  Selector selector() {
    return selector;
  }

  void add(Connection connection) {
    connections.add(connection);
  }

  void remove(Connection connection) {
    connections.remove(connection);
  }

  /** Runs a task later on the loop's thread. Called by the loop's thread. */
  void schedule(long due, Runnable task) {
    timers.add(new Timer(due, timerCount++, task));
  }

  /**
   * Runs something on the loop's thread and waits for its answer.
   *
   * @throws WrongBytesException if a server sent wrong bytes before that
   */
  <T> T call(Supplier<T> task) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    tasks.add(() -> {
      try {
        answer.complete(task.get());
      } catch (RuntimeException e) {
        answer.completeExceptionally(e);
        throw e;
      }
    });
    selector.wakeup();
    try {
      CompletableFuture.anyOf(answer, broken).get(HAND_OVER.toSeconds(), TimeUnit.SECONDS);
      return answer.getNow(null);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof WrongBytesException wrong) {
        throw wrong;
      }
      throw new IllegalStateException("The client broke down", e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("The client's thread does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  /** Runs something on the loop's thread and waits until it is done. */
  void run(Runnable task) {
    call(() -> {
      task.run();
      return true;
    });
  }

  /**
   * Returns at once if all is well.
   *
   * @throws WrongBytesException if a server sent wrong bytes
   */
  void check() {
    if (broken.isDone()) {
      run(() -> {});
    }
  }

  private void run() {
    schedule(System.nanoTime() + SWEEP_NANOS, this::sweep);
    try {
      while (!closed) {
        long wait = nanosToNextTimer();
        if (wait <= 0) {
          selector.selectNow(this::ready);
        } else {
          // Rounded up: a timer that comes a little late is not held against the server.
          selector.select(this::ready, (wait + 999_999) / 1_000_000);
        }
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
          task.run();
        }
        long now = System.nanoTime();
        for (Timer timer = timers.peek();
            timer != null && timer.due - now <= 0;
            timer = timers.peek()) {
          timers.remove();
          timer.task.run();
        }
      }
    } catch (IOException | RuntimeException e) {
      broken.completeExceptionally(e);
    } finally {
      List.copyOf(connections).forEach(Connection::abort);
      try {
        selector.close();
      } catch (IOException e) {
        broken.completeExceptionally(e);
      }
    }
  }

  private long nanosToNextTimer() {
    Timer next = timers.peek();
    return next == null ? SWEEP_NANOS : Math.max(0, next.due - System.nanoTime());
  }

  private void ready(SelectionKey key) {
    if (key.attachment() instanceof Connection connection) {
      connection.ready();
    }
  }

  /** Fails what makes no progress. */
  private void sweep() {
    long now = System.nanoTime();
    List<Connection> stalled = new ArrayList<>();
    for (Connection connection : connections) {
      if (connection.isWaiting() && now - connection.lastProgress() > stallNanos) {
        stalled.add(connection);
      }
    }
    stalled.forEach(Connection::stalled);
    schedule(now + SWEEP_NANOS, this::sweep);
  }

  /** Drops all connections and ends the thread. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    long deadline = System.nanoTime() + HAND_OVER.toNanos();
    while (thread.isAlive() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}

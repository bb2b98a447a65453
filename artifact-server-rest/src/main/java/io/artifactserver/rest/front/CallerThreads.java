package io.artifactserver.rest.front;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs the requests of callers whom the server knows. A caller has a share of the threads and of
 * the places to wait, so that nobody keeps others out, and callers that wait take turns.
 * Thread-safe.
 */
final class CallerThreads implements AutoCloseable {
  private static final long IDLE_SECONDS = 30;

  private final int threads;
  private final int maxWaiting;
  private final int share;
  private final ThreadPoolExecutor executor;

  /** The callers that have a request here. This and all below are guarded by this object. */
  private final Map<String, Line> lines = new HashMap<>();

  /** Those whose next request may run; the first has the next turn. */
  private final Set<Line> ready = new LinkedHashSet<>();

  private int running;
  private int waiting;

  /**
   * @param name of the threads
   * @param maxWaiting requests that wait for a thread
   * @param share a caller has a thread of so many, and as small a part of the places to wait
   */
  CallerThreads(String name, int threads, int maxWaiting, int share) {
    this.threads = threads;
    this.maxWaiting = maxWaiting;
    this.share = share;
    this.executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name(name, 0).factory());
    this.executor.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs a request soon.
   *
   * @param caller its id
   * @return false if there are too many, of this caller or of all
   */
  synchronized boolean run(String caller, Runnable request) {
    Line line = lines.computeIfAbsent(caller, Line::new);
    boolean runsNow = running < threads && mayRun(line);
    boolean mayWait = waiting < maxWaiting && line.requests.size() < maxWaiting / share;
    if (executor.isShutdown() || !(runsNow || mayWait)) {
      forgetIfIdle(line);
      return false;
    }
    line.requests.add(request);
    waiting++;
    begin(line);
    start();
    return true;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  private void begin(Line line) {
    if (!line.requests.isEmpty() && mayRun(line)) {
      ready.add(line);
    }
  }

  private boolean mayRun(Line line) {
    return line.running < Math.max(1, threads / share);
  }

  private void start() {
    while (running < threads && !ready.isEmpty()) {
      Iterator<Line> turns = ready.iterator();
      Line line = turns.next();
      turns.remove();
      Runnable request = line.requests.remove();
      waiting--;
      line.running++;
      running++;
      begin(line);
      try {
        executor.execute(() -> {
          try {
            request.run();
          } finally {
            ended(line);
          }
        });
      } catch (RejectedExecutionException e) {
        // Closed: so are the connections.
        line.running--;
        running--;
        return;
      }
    }
  }

  private synchronized void ended(Line line) {
    line.running--;
    running--;
    begin(line);
    forgetIfIdle(line);
    start();
  }

  private void forgetIfIdle(Line line) {
    if (line.running == 0 && line.requests.isEmpty()) {
      lines.remove(line.caller);
    }
  }

  /** A caller's. */
  private static final class Line {
    private final String caller;
    private final Queue<Runnable> requests = new ArrayDeque<>();
    private int running;

    private Line(String caller) {
      this.caller = caller;
    }
  }
}

package io.artifactserver.rest.front;

import io.artifactserver.core.limit.FairQueue;
import io.artifactserver.core.thread.DaemonThreads;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Runs the requests of callers whom the server knows. A caller has a share of the threads and of
 * the places to wait, so that nobody keeps others out, and callers that wait take turns.
 * Thread-safe.
 */
final class CallerThreads implements AutoCloseable {
  private final int threads;
  private final int maxWaiting;
  private final int share;
  private final ThreadPoolExecutor executor;

  /** Requests of callers that wait; guarded by this object, as are those below. */
  private final FairQueue<String, Request> waiting = FairQueue.inOrder();

  /** How many requests of a caller run; none has zero. */
  private final Map<String, Integer> runningOf = new HashMap<>();

  private int running;

  /**
   * @param name of the threads
   * @param maxWaiting requests that wait for a thread
   * @param share a caller has a thread of so many, and as small a part of the places to wait
   */
  CallerThreads(String name, int threads, int maxWaiting, int share) {
    this.threads = threads;
    this.maxWaiting = maxWaiting;
    this.share = share;
    this.executor = DaemonThreads.pool(name, threads);
  }

  /**
   * Runs a request soon.
   *
   * @param caller its id
   * @return false if there are too many, of this caller or of all
   */
  synchronized boolean run(String caller, Runnable request) {
    boolean runsNow = running < threads && mayRun(caller);
    boolean mayWait = waiting.size() < maxWaiting && waiting.size(caller) < maxWaiting / share;
    if (executor.isShutdown() || !(runsNow || mayWait)) {
      return false;
    }
    waiting.add(caller, new Request(caller, request));
    start();
    return true;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  private boolean mayRun(String caller) {
    return runningOf.getOrDefault(caller, 0) < Math.max(1, threads / share);
  }

  private void start() {
    while (running < threads) {
      Optional<Request> next = waiting.poll(this::mayRun);
      if (next.isEmpty()) {
        return;
      }
      Request request = next.get();
      running++;
      runningOf.merge(request.caller, 1, Integer::sum);
      try {
        executor.execute(() -> {
          try {
            request.task.run();
          } finally {
            ended(request.caller);
          }
        });
      } catch (RejectedExecutionException e) {
        // Closed: so are the connections.
        forget(request.caller);
        return;
      }
    }
  }

  private synchronized void ended(String caller) {
    forget(caller);
    // Others came while it had its turn.
    waiting.yieldTurn(caller);
    start();
  }

  private void forget(String caller) {
    running--;
    runningOf.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
  }

  /** Equal to no other, whatever it runs. */
  private static final class Request {
    private final String caller;
    private final Runnable task;

    private Request(String caller, Runnable task) {
      this.caller = caller;
      this.task = task;
    }
  }
}

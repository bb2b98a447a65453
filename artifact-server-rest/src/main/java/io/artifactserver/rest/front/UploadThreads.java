package io.artifactserver.rest.front;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs uploads. One may last for hours, so none waits for another: the caller is refused, and comes
 * again. A caller gets a further place only while it holds fewer than are free, so the first has at
 * most half of the places, the next one half of the rest, and so on. Thread-safe.
 */
final class UploadThreads implements AutoCloseable {
  private final ExecutorService executor;

  /** How many places each caller holds. Guarded by this object, as is the number below. */
  private final Map<String, Integer> held = new HashMap<>();

  private int free;

  /**
   * @param name of the threads, which are virtual: an upload that waits for its client holds none
   *     of the system's
   * @param places uploads that run at the same time
   */
  UploadThreads(String name, int places) {
    this.free = places;
    this.executor = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name(name, 0).factory());
  }

  /**
   * Runs an upload at once.
   *
   * @param caller its id
   * @return false if there is no place for it
   */
  synchronized boolean run(String caller, Runnable upload) {
    if (held.getOrDefault(caller, 0) >= free) {
      return false;
    }
    held.merge(caller, 1, Integer::sum);
    free--;
    try {
      executor.execute(() -> {
        try {
          upload.run();
        } finally {
          ended(caller);
        }
      });
      return true;
    } catch (RejectedExecutionException e) {
      // Closed.
      ended(caller);
      return false;
    }
  }

  private synchronized void ended(String caller) {
    held.computeIfPresent(caller, (_, places) -> places == 1 ? null : places - 1);
    free++;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}

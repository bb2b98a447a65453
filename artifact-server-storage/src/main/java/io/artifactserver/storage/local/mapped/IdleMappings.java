package io.artifactserver.storage.local.mapped;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Closes idle mappings from a thread of its own, until it is closed. Thread-safe. */
public final class IdleMappings implements AutoCloseable {
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("idle-mappings").factory());

  /**
   * @param idleTime of the files; looked for twice in it
   */
  public IdleMappings(MappedFiles files, Duration idleTime) {
    long period = Math.max(1, idleTime.toMillis() / 2);
    var _ =
        executor.scheduleWithFixedDelay(files::closeIdle, period, period, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}

package io.artifactserver.rest.jobs;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.springframework.stereotype.Component;

/**
 * When each background job was last done without a failure, as the metric {@code
 * artifact_server.job.last.success}: an alert on its age finds a job that hangs as well as one that
 * fails. Each job has a thread of its own ({@code spring.task.scheduling.pool.size}), so none waits
 * for another. Thread-safe.
 */
@Component
public class Jobs {
  private final MeterRegistry registry;
  private final InstantSource clock;
  private final Map<String, AtomicLong> successes = new ConcurrentHashMap<>();

  public Jobs(MeterRegistry registry, InstantSource clock) {
    this.registry = registry;
    this.clock = clock;
  }

  /**
   * Runs a job. A failure is logged, and goes no further.
   *
   * @param name of few
   * @param failure as {@code Repositories could not be encrypted}
   * @param logger is told of failures
   * @return whether the job was done
   */
  public boolean run(String name, String failure, Logger logger, Work work) {
    try {
      work.run();
      succeeded(name);
      return true;
    } catch (StorageException | CatalogUnavailableException e) {
      logger.warn("{}; the next run goes on", failure, e);
    } catch (RuntimeException e) {
      // Such as a key ring that was damaged meanwhile: the one in memory still serves.
      logger.error("{}; the next run tries again", failure, e);
    }
    return false;
  }

  /**
   * A job was done.
   *
   * @param name of few
   */
  public void succeeded(String name) {
    successes.computeIfAbsent(name, this::register).set(clock.instant().getEpochSecond());
  }

  private AtomicLong register(String name) {
    AtomicLong seconds = new AtomicLong();
    TimeGauge.builder(
            "artifact_server.job.last.success", seconds, TimeUnit.SECONDS, AtomicLong::doubleValue)
        .description("When the job was last done without a failure, in seconds since 1970")
        .tag("job", name)
        .register(registry);
    return seconds;
  }

  /** What is to be done. */
  @FunctionalInterface
  public interface Work {
    /** Does it. */
    void run() throws StorageException;
  }
}

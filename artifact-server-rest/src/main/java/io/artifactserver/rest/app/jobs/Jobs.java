package io.artifactserver.rest.app.jobs;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.rest.log.FailureLog;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * How the background jobs are. When each was last done without a failure is the metric {@code
 * artifact_server.job.last.success}, 0 for one that failed and was never done: an alert on its age
 * finds a job that hangs as well as one that fails. Each job has a thread of its own ({@code
 * spring.task.scheduling.pool.size}), so none waits for another. Thread-safe.
 */
@Component
public class Jobs implements HealthIndicator {
  private final MeterRegistry registry;
  private final InstantSource clock;
  private final Map<String, AtomicLong> successes = new ConcurrentHashMap<>();
  private final Map<String, Failing> failing = new ConcurrentHashMap<>();
  private final Map<String, FailureLog> logs = new ConcurrentHashMap<>();

  public Jobs(MeterRegistry registry, InstantSource clock) {
    this.registry = registry;
    this.clock = clock;
  }

  /**
   * Runs a job. A failure is logged, though not each time, and goes no further.
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
      log(name, logger).warn(failure + "; the next run goes on", e);
      failed(name, "%s: %s".formatted(failure, e.getMessage()));
    } catch (RuntimeException | LinkageError e) {
      // Such as a key ring that was damaged meanwhile: the one in memory still serves. Or a library
      // whose native code cannot be loaded.
      log(name, logger).failed(failure + "; the next run tries again", e);
      failed(name, "%s: %s".formatted(failure, e));
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
    failing.remove(name);
  }

  /**
   * A job was not done.
   *
   * @param name of few
   * @param reason for operators
   */
  public void failed(String name, String reason) {
    successes.computeIfAbsent(name, this::register);
    Instant now = clock.instant();
    failing.merge(
        name, new Failing(now, reason), (before, _) -> new Failing(before.since(), reason));
  }

  /** The jobs whose last run failed, by their names. */
  public Map<String, Failing> failing() {
    return Map.copyOf(failing);
  }

  /**
   * Tells operators which jobs fail. The server is up all the same: a balancer that took it away
   * would stop downloads that go on well.
   */
  @Override
  public Health health() {
    return Health.up().withDetail("failing", failing()).build();
  }

  /** A job that runs every few seconds may fail for days. */
  private FailureLog log(String name, Logger logger) {
    return logs.computeIfAbsent(name, _ -> new FailureLog(logger));
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

  /**
   * A job that was not done.
   *
   * @param since the first failure after which it was not done
   * @param reason for operators, of the last failure
   */
  public record Failing(Instant since, String reason) {}

  /** The work of a job. */
  @FunctionalInterface
  public interface Work {
    /** Does it. */
    void run() throws StorageException;
  }
}

package io.artifactserver.rest.jobs;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
}

package io.artifactserver.rest.console;

import io.artifactserver.rest.api.progress.RunningDownloads;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * The bytes and requests of the last minutes, second by second, by the server's metrics. One thread
 * samples; others read. Thread-safe.
 */
@Component
public final class Traffic {
  /** Five minutes. */
  static final int MAX_SAMPLES = 300;

  private final MeterRegistry registry;
  private final RunningDownloads running;
  private final InstantSource clock;

  // Guarded by this object.
  private final Deque<Sample> samples = new ArrayDeque<>();
  private Totals before;

  public Traffic(MeterRegistry registry, RunningDownloads running, InstantSource clock) {
    this.registry = registry;
    this.running = running;
    this.clock = clock;
    this.before = totals();
  }

  /** Looks at the metrics. Called once a second. */
  synchronized void sample() {
    Totals now = totals();
    double seconds = Math.max(1e-3, (now.atMillis - before.atMillis) / 1e3);
    samples.addLast(
        new Sample(
            now.atMillis / 1000,
            Math.round(Math.max(0, now.bytes - before.bytes) / seconds),
            Math.round((now.requests - before.requests) / seconds),
            Math.round((now.failures - before.failures) / seconds),
            running.size(),
            Math.round(gauge("artifact_server.connections")),
            now.hits + now.misses == 0 ? -1 : now.hits / (now.hits + now.misses)));
    if (samples.size() > MAX_SAMPLES) {
      samples.removeFirst();
    }
    before = now;
  }

  /** The samples, the oldest first. */
  synchronized List<Sample> samples() {
    return List.copyOf(samples);
  }

  private Totals totals() {
    // Those of running downloads first: one that ends in between counts twice for a second, not
    // never.
    long onTheirWay = running.taken();
    return new Totals(
        clock.millis(),
        onTheirWay
            + registry.find("artifact_server.transfer.bytes").counters().stream()
                .mapToDouble(Counter::count)
                .sum(),
        registry.find("artifact_server.transfer").timers().stream().mapToLong(Timer::count).sum(),
        registry.find("artifact_server.transfer").tag("ending", "failed").timers().stream()
            .mapToLong(Timer::count)
            .sum(),
        cache("hit"),
        cache("miss"));
  }

  private double cache(String result) {
    return registry
        .find("artifact_server.cache.requests")
        .tag("result", result)
        .functionCounters()
        .stream()
        .mapToDouble(FunctionCounter::count)
        .sum();
  }

  private double gauge(String name) {
    return registry.find(name).gauges().stream().mapToDouble(Gauge::value).sum();
  }

  /**
   * One second.
   *
   * @param at seconds since 1970
   * @param bytes of artifacts that connections took
   * @param requests for artifacts that ended
   * @param failures of them that ended because the storage failed
   * @param downloads that take their time, at the end of the second
   * @param connections that are open
   * @param hits share of ranges that the cache had, since the start; -1 where there is no cache
   */
  public record Sample(
      long at,
      long bytes,
      long requests,
      long failures,
      int downloads,
      long connections,
      double hits) {}

  private record Totals(
      long atMillis, double bytes, double requests, double failures, double hits, double misses) {}
}

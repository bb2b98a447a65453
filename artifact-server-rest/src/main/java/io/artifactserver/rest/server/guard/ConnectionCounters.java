package io.artifactserver.rest.server.guard;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.function.Supplier;

/** Counts connections, and what the server ended or refused, by the reason. Thread-safe. */
final class ConnectionCounters {
  private final MeterProvider<Counter> ends;
  private final MeterProvider<Counter> refusals;

  /**
   * @param open connections
   * @param held bytes that the server holds for them
   */
  ConnectionCounters(MeterRegistry registry, Supplier<Number> open, Supplier<Number> held) {
    Gauge.builder("artifact_server.connections", open)
        .description("Open connections")
        .register(registry);
    Gauge.builder("artifact_server.connections.held", held)
        .baseUnit("bytes")
        .description("Heads of requests that came in part or whose answers nobody takes, estimated")
        .register(registry);
    this.ends =
        Counter.builder("artifact_server.connections.ended")
            .description("Connections that the server ended, by what they took too long for")
            .withRegistry(registry);
    this.refusals =
        Counter.builder("artifact_server.connections.refused")
            .description("Connections beyond a limit, which are answered with 503")
            .withRegistry(registry);
    // All of them can be read from the start, as 0.
    for (End end : End.values()) {
      ended(end, 0);
    }
    for (Refusal refusal : Refusal.values()) {
      refused(refusal, 0);
    }
  }

  void ended(End end, int connections) {
    ends.withTag("reason", tag(end)).increment(connections);
  }

  void refused(Refusal refusal, int connections) {
    refusals.withTag("limit", tag(refusal)).increment(connections);
  }

  private static String tag(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}

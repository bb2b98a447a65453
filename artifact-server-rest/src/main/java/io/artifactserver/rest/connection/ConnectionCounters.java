package io.artifactserver.rest.connection;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Counts what the server ended or refused, by the reason. Thread-safe. */
final class ConnectionCounters {
  private final Map<End, Counter> ends = new EnumMap<>(End.class);
  private final Map<Refusal, Counter> refusals = new EnumMap<>(Refusal.class);

  ConnectionCounters(MeterRegistry registry) {
    for (End end : End.values()) {
      ends.put(
          end,
          Counter.builder("artifact_server.connections.ended")
              .description("Connections that the server ended, by what they took too long for")
              .tag("reason", tag(end))
              .register(registry));
    }
    for (Refusal refusal : Refusal.values()) {
      refusals.put(
          refusal,
          Counter.builder("artifact_server.connections.refused")
              .description("Connections beyond a limit, which are answered with 503")
              .tag("limit", tag(refusal))
              .register(registry));
    }
  }

  void ended(End end, int connections) {
    Counter counter = ends.get(end);
    if (counter != null) {
      counter.increment(connections);
    }
  }

  void refused(Refusal refusal) {
    Counter counter = refusals.get(refusal);
    if (counter != null) {
      counter.increment();
    }
  }

  private static String tag(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}

package io.artifactserver.rest.delivery;

import io.artifactserver.rest.delivery.address.InstallReport;
import io.artifactserver.rest.delivery.address.Target;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Counts what devices that poll are told, and what they say. Thread-safe. */
final class PollMetrics {
  private final Map<Target.Agent, Map<Answer, Counter>> polls = new EnumMap<>(Target.Agent.class);
  private final Map<InstallReport.Event, Counter> reports =
      new EnumMap<>(InstallReport.Event.class);

  PollMetrics(MeterRegistry registry) {
    for (Target.Agent agent : Target.Agent.values()) {
      Map<Answer, Counter> answers = new EnumMap<>(Answer.class);
      for (Answer answer : Answer.values()) {
        answers.put(
            answer,
            Counter.builder("artifact_server.polls")
                .description("Polls of channels, by the program and what it was told")
                .tag("agent", tag(agent))
                .tag("answer", tag(answer))
                .register(registry));
      }
      polls.put(agent, answers);
    }
    for (InstallReport.Event event : InstallReport.Event.values()) {
      reports.put(
          event,
          Counter.builder("artifact_server.poll.reports")
              .description("Messages of devices about their updates, by what they say")
              .tag("event", tag(event))
              .register(registry));
    }
  }

  /** The answer that a device gets. */
  enum Answer {
    /** There is something for it. */
    UPDATE,

    /** It has what there is. */
    UNCHANGED,

    /** There is nothing for it. */
    NONE
  }

  void answered(Target.Agent agent, Answer answer) {
    Objects.requireNonNull(Objects.requireNonNull(polls.get(agent)).get(answer)).increment();
  }

  void reported(InstallReport.Event event) {
    Objects.requireNonNull(reports.get(event)).increment();
  }

  private static String tag(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

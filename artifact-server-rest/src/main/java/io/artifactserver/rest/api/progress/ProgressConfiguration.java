package io.artifactserver.rest.api.progress;

import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.rest.api.events.EventStreams;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the progress of devices. */
@Configuration(proxyBeanMethods = false)
public class ProgressConfiguration {
  private static final int MAX_LISTENERS = 64;
  private static final int MAX_DEVICES_WAITING = 10_000;

  @Bean
  EventStreams<ProgressSubject, DeviceProgress> progressEvents() {
    return new EventStreams<>(
        "progress-events",
        new EventStreams.Bounds(MAX_LISTENERS, MAX_LISTENERS / 4, MAX_DEVICES_WAITING));
  }

  @Bean
  ProgressBook progressBook(
      ProgressStore store,
      InstantSource clock,
      ProgressProperties properties,
      EventStreams<ProgressSubject, DeviceProgress> events,
      MeterRegistry registry) {
    ProgressBook book =
        new ProgressBook(
            store,
            clock,
            new ProgressBook.Bounds(
                properties.maxPending(),
                properties.maxNamedPerAddress(),
                properties.maxRows(),
                properties.maxNewPerCaller()),
            rows ->
                rows.forEach(
                    row -> events.tell(row.subject(), row.progress().device(), row.progress())));
    Gauge.builder("artifact_server.progress.pending", book, ProgressBook::size)
        .description("Devices whose progress is not in the database yet")
        .register(registry);
    FunctionCounter.builder("artifact_server.progress.lost", book, ProgressBook::lost)
        .description("Deliveries that were not recorded because of too many devices")
        .register(registry);
    return book;
  }
}

package io.artifactserver.rest.api.progress;

import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the progress of devices. */
@Configuration(proxyBeanMethods = false)
public class ProgressConfiguration {
  @Bean
  ProgressBook progressBook(
      ProgressStore store,
      InstantSource clock,
      ProgressProperties properties,
      ProgressEvents events,
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
            events::written);
    Gauge.builder("artifact_server.progress.pending", book, ProgressBook::size)
        .description("Devices whose progress is not in the database yet")
        .register(registry);
    FunctionCounter.builder("artifact_server.progress.lost", book, ProgressBook::lost)
        .description("Deliveries that were not recorded because of too many devices")
        .register(registry);
    return book;
  }
}

package io.artifactserver.rest.api.limit;

import io.artifactserver.core.limit.LimitBook;
import io.artifactserver.core.limit.LimitStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Wires the limits of downloads. */
@Configuration(proxyBeanMethods = false)
@Import(PaceThreads.class)
public class LimitConfiguration {
  @Bean
  LimitBook limitBook(
      LimitStore store, LimitProperties properties, PaceThreads threads, MeterRegistry registry) {
    LimitBook book =
        new LimitBook(
            store, properties.rate(), properties.queueBounds(), System::nanoTime, threads);
    Gauge.builder("artifact_server.downloads.waiting", book, LimitBook::waiting)
        .description("Downloads that wait for their turn in the queue of a repository")
        .register(registry);
    return book;
  }
}

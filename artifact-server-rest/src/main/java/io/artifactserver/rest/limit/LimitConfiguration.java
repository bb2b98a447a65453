package io.artifactserver.rest.limit;

import io.artifactserver.core.limit.LimitBook;
import io.artifactserver.core.limit.LimitStore;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the limits of downloads. */
@Configuration(proxyBeanMethods = false)
public class LimitConfiguration {
  @Bean
  PaceThreads paceThreads() {
    return new PaceThreads();
  }

  @Bean
  LimitBook limitBook(LimitStore store, LimitProperties properties, PaceThreads threads) {
    return new LimitBook(store, properties.rate(), System::nanoTime, threads);
  }
}

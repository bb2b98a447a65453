package io.artifactserver.rest.console;

import io.artifactserver.core.limit.QuotaStore;
import io.artifactserver.core.progress.RolloutStore;
import io.artifactserver.rest.access.session.Sessions;
import io.artifactserver.rest.api.events.EventStreams;
import java.io.IOException;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the console. */
@Configuration(proxyBeanMethods = false)
public class ConsoleConfiguration {
  private static final int MAX_PAGES = 128;

  /** A page that is slower than a second gets the newest figures only. */
  @Bean
  EventStreams<LiveEvents.Subject, String> openPages() {
    return new EventStreams<>("console-page", new EventStreams.Bounds(MAX_PAGES, MAX_PAGES / 2, 1));
  }

  @Bean
  ConsoleAssets consoleAssets() throws IOException {
    return new ConsoleAssets();
  }

  @Bean
  Rollouts rollouts(RolloutStore store, InstantSource clock) {
    return new Rollouts(store, clock, System::nanoTime);
  }

  @Bean
  Usages usages(QuotaStore store) {
    return new Usages(store);
  }

  @Bean
  Sessions sessions() {
    return new Sessions(System::nanoTime);
  }
}

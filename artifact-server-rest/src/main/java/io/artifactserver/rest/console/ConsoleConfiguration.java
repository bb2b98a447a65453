package io.artifactserver.rest.console;

import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.rest.access.session.Sessions;
import java.io.IOException;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the console. */
@Configuration(proxyBeanMethods = false)
public class ConsoleConfiguration {
  @Bean
  ConsoleAssets consoleAssets() throws IOException {
    return new ConsoleAssets();
  }

  @Bean
  Rollouts rollouts(ProgressBook book, ProgressStore store, InstantSource clock) {
    return new Rollouts(book, store, clock, System::nanoTime);
  }

  @Bean
  Sessions sessions() {
    return new Sessions(System::nanoTime);
  }
}

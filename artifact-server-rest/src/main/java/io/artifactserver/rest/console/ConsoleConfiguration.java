package io.artifactserver.rest.console;

import io.artifactserver.rest.access.session.Sessions;
import java.io.IOException;
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
  Sessions sessions() {
    return new Sessions(System::nanoTime);
  }
}

package io.artifactserver.rest.app;

import io.artifactserver.rest.command.Commands;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;

/** Starts the server. */
@SpringBootApplication(
    scanBasePackages = "io.artifactserver.rest",
    exclude = UserDetailsServiceAutoConfiguration.class,
    // LogMetrics has its place.
    excludeName =
        "org.springframework.boot.micrometer.metrics.autoconfigure.logging.logback.LogbackMetricsAutoConfiguration")
@ConfigurationPropertiesScan("io.artifactserver.rest")
public class ArtifactServerApplication {
  /**
   * Runs the command that the first argument names, or the server until it is stopped.
   *
   * @param arguments {@code --property=value} each, behind the command if there is one
   */
  public static void main(String[] arguments) {
    List<String> list = List.of(arguments);
    if (!Commands.serve(list)) {
      System.exit(Commands.line(list, System.getenv()).execute(arguments));
    }
    SpringApplication server = new SpringApplication(ArtifactServerApplication.class);
    PortOpener ports = new PortOpener();
    server.addListeners(ports);
    server.addInitializers(ports);
    server.run(arguments);
  }
}

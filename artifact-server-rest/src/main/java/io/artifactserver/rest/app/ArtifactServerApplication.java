package io.artifactserver.rest.app;

import io.artifactserver.core.command.Command;
import java.util.List;
import java.util.ServiceLoader;
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
    if (arguments.length > 0) {
      for (Command command : ServiceLoader.load(Command.class)) {
        if (command.name().equals(arguments[0])) {
          List<String> rest = List.of(arguments).subList(1, arguments.length);
          System.exit(command.run(rest, System.out, System.err));
        }
      }
    }
    SpringApplication.run(ArtifactServerApplication.class, arguments);
  }
}

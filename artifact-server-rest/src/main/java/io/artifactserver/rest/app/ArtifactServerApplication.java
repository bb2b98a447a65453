package io.artifactserver.rest.app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;

/** Starts the server. */
@SpringBootApplication(
    scanBasePackages = "io.artifactserver.rest",
    exclude = UserDetailsServiceAutoConfiguration.class)
@ConfigurationPropertiesScan("io.artifactserver.rest")
public class ArtifactServerApplication {
  /**
   * Runs until it is stopped.
   *
   * @param arguments {@code --property=value} each
   */
  public static void main(String[] arguments) {
    SpringApplication.run(ArtifactServerApplication.class, arguments);
  }
}

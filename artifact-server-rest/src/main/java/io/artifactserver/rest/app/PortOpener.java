package io.artifactserver.rest.app;

import io.artifactserver.rest.server.engine.EarlyPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/**
 * Opens the server's ports as soon as the configuration is read, seconds before it can answer.
 * Comes after the listeners that read it, because it has no order.
 */
final class PortOpener
    implements ApplicationListener<ApplicationEnvironmentPreparedEvent>,
        ApplicationContextInitializer<ConfigurableApplicationContext> {
  private static final int DEFAULT_PORT = 8080;

  private final EarlyPorts ports = new EarlyPorts();

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    open(event.getEnvironment());
  }

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    context.getBeanFactory().registerSingleton("earlyPorts", ports);
  }

  private void open(Environment environment) {
    int port = environment.getProperty("server.port", Integer.class, DEFAULT_PORT);
    int redirectPort =
        environment.getProperty("artifact-server.tls.redirect-port", Integer.class, 0);
    String host = environment.getProperty("server.address");
    Optional<InetSocketAddress> inherited = inherit();
    if (inherited.isPresent() && !isWanted(inherited.get(), host, port, redirectPort)) {
      throw new IllegalStateException(
          """
          This process was given a socket that listens on %s, but server.port is %d and \
          server.address is %s. Give both the same address and port, or start the server without \
          a socket (OPEN_PORT=none).\
          """
              .formatted(inherited.get(), port, host == null ? "not set" : host));
    }
    for (int each : new int[] {port, redirectPort}) {
      if (each > 0) {
        ports.open(host, each);
      }
    }
  }

  private static boolean isWanted(
      InetSocketAddress inherited, @Nullable String host, int port, int redirectPort) {
    return (inherited.getPort() == port || inherited.getPort() == redirectPort)
        && (host == null
            || inherited.getAddress().equals(new InetSocketAddress(host, 0).getAddress()));
  }

  private Optional<InetSocketAddress> inherit() {
    try {
      return ports.inherit();
    } catch (IOException e) {
      throw new UncheckedIOException("The socket that this process was given cannot be used", e);
    }
  }
}

package io.artifactserver.rest.server.engine;

import io.artifactserver.rest.server.guard.Connections;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Puts our own connections in the place of Jetty's. */
@Configuration(proxyBeanMethods = false)
@Import({Http2Connections.class, LingeringClose.class, TlsConnectors.class})
public class EngineConfiguration {
  /**
   * In bytes. A slow client's response holds its head's buffer to the end of the first piece, and
   * ours have 700 bytes; Jetty takes a larger one for a head that does not fit.
   */
  private static final int RESPONSE_HEAD_LENGTH = 4 * 1024;

  @Bean
  Newcomers newcomers(Connections connections) {
    return new Newcomers(connections::client);
  }

  /** The last to see the server, when every connector is there. */
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE)
  WebServerFactoryCustomizer<JettyServletWebServerFactory> watchedConnections(
      Connections connections,
      Newcomers newcomers,
      LingeringClose lingering,
      ObjectProvider<EarlyPorts> early) {
    return factory ->
        factory.addServerCustomizers(server -> {
          bound(server, connections, newcomers);
          PromptConnector.install(server, newcomers, lingering);
          early.ifAvailable(ports -> PromptConnector.useEarly(server, ports));
          connections.watch(server);
        });
  }

  private static void bound(Server server, Connections connections, Newcomers newcomers) {
    for (Connector connector : server.getConnectors()) {
      if (connector instanceof AbstractConnector open) {
        List<ConnectionFactory> factories = new ArrayList<>(open.getConnectionFactories());
        factories.replaceAll(factory ->
            factory instanceof HttpConnectionFactory plain
                ? new BoundedHttpConnection.Factory(plain, connections, newcomers)
                : factory);
        String first = open.getDefaultProtocol();
        open.setConnectionFactories(factories);
        open.setDefaultProtocol(first);
        for (ConnectionFactory factory : factories) {
          if (factory instanceof HttpConfiguration.ConnectionFactory http) {
            http.getHttpConfiguration().setResponseHeaderSize(RESPONSE_HEAD_LENGTH);
          }
        }
      }
    }
  }
}

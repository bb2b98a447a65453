package io.artifactserver.rest.server.engine;

import io.artifactserver.rest.server.tls.Certificates;
import io.artifactserver.rest.server.tls.TlsConfiguration;
import io.artifactserver.rest.server.tls.TlsProperties;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.Http2;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;

/**
 * Puts TLS on the server's port, and beside it a port that redirects. Spring Boot's own TLS knows
 * neither several certificates nor new ones with Jetty. Comes before the customizers that bound
 * what connections may do, so that those find these connectors.
 */
@Conditional(TlsConfiguration.HasCertificates.class)
record TlsConnectors(
    TlsProperties properties,
    Certificates certificates,
    Newcomers newcomers,
    LingeringClose lingering)
    implements WebServerFactoryCustomizer<JettyServletWebServerFactory>, Ordered {
  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE - 1;
  }

  @Override
  public void customize(JettyServletWebServerFactory factory) {
    Http2 http2 = factory.getHttp2();
    boolean isHttp2 = http2 != null && http2.isEnabled();
    factory.addServerCustomizers(server -> secure(server, isHttp2));
  }

  private void secure(Server server, boolean isHttp2) {
    List<Connector> connectors = new ArrayList<>();
    for (Connector connector : server.getConnectors()) {
      if (connector instanceof ServerConnector plain) {
        connectors.add(secured(plain, isHttp2));
        if (properties.redirectPort() != 0) {
          connectors.add(redirecting(plain));
        }
      }
    }
    server.setConnectors(connectors.toArray(Connector[]::new));
  }

  private Connector secured(ServerConnector plain, boolean isHttp2) {
    HttpConfiguration http = new HttpConfiguration();
    http.addCustomizer(new SecureRequestCustomizer(properties.checkHost()));
    HttpConnectionFactory http1 = new HttpConnectionFactory(http);
    List<ConnectionFactory> factories = new ArrayList<>();
    if (isHttp2) {
      ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
      alpn.setDefaultProtocol(http1.getProtocol());
      factories.add(alpn);
      factories.add(new HTTP2ServerConnectionFactory(http));
    }
    factories.add(http1);
    factories.addFirst(
        new GatheringSslConnection.Factory(
            certificates.served(), factories.getFirst().getProtocol(), newcomers));
    return new PromptConnector("https", plain.getPort(), plain, newcomers, lingering, factories);
  }

  private Connector redirecting(ServerConnector plain) {
    HttpConfiguration http = new HttpConfiguration();
    // HttpsRedirectHandler goes by it.
    http.setSecurePort(properties.publicPort() == 0 ? plain.getPort() : properties.publicPort());
    return new PromptConnector(
        "redirect",
        properties.redirectPort(),
        plain,
        newcomers,
        lingering,
        List.of(new HttpConnectionFactory(http)));
  }
}

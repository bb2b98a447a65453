package io.artifactserver.rest.app;

import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.rest.delivery.ArtifactDownloadHandler;
import io.artifactserver.rest.front.ActiveRequests;
import io.artifactserver.rest.front.ControlPlane;
import io.artifactserver.rest.front.HttpsRedirectHandler;
import io.artifactserver.rest.front.ProblemErrorHandler;
import io.artifactserver.rest.front.RefusalHandler;
import io.artifactserver.rest.server.engine.EarlyPorts;
import io.artifactserver.rest.server.engine.Http2Connections;
import io.artifactserver.rest.server.tls.TlsProperties;
import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHandler;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.Shutdown;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;

/** Puts the data plane in front of the servlets and bounds what a connection may do. */
@Configuration(proxyBeanMethods = false)
public class JettyConfiguration {
  /**
   * Selectors answer warm downloads themselves, so each core has one: Jetty's default of one for
   * two cores left a quarter of the requests of 4 to 128 KiB unanswered.
   */
  private static final int MAX_SELECTORS = 32;

  /** Room for more than 1,000 ranges in one request, in bytes. */
  private static final int MAX_REQUEST_HEADER_LENGTH = 32 * 1024;

  /**
   * The length of a servlet's buffer for output, in bytes. Output is gathered elsewhere
   * (ControlPlane), so this is only memory outside the heap for each answer that a client does not
   * take.
   */
  private static final int SERVLET_BUFFER_LENGTH = 4 * 1024;

  /** A name may have a percent sign; all other ambiguous targets stay refused. */
  private static final UriCompliance PERCENT_IN_NAMES =
      UriCompliance.RFC3986.with(
          "percent-in-names", UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING);

  @Bean
  WebServerFactoryCustomizer<JettyServletWebServerFactory> dataPlane(
      RefusalHandler refusals,
      ArtifactDownloadHandler downloads,
      ControlPlane control,
      ProblemErrorHandler errors,
      TlsProperties tls,
      Http2Connections http2) {
    return factory -> {
      if (factory.getSelectors() <= 0) {
        factory.setSelectors(Math.min(Runtime.getRuntime().availableProcessors(), MAX_SELECTORS));
      }
      boolean isGraceful = factory.getShutdown() == Shutdown.GRACEFUL;
      // Else the factory adds the handler of which ActiveRequests is the lean one.
      factory.setShutdown(Shutdown.IMMEDIATE);
      factory.addServerCustomizers(server -> {
        for (ServletHandler servlets : server.getContainedBeans(ServletHandler.class)) {
          servlets.setDecodeAmbiguousURIs(true);
        }
        control.setHandler(server.getHandler());
        downloads.setHandler(control);
        refusals.setHandler(downloads);
        Handler handler = tls.redirectPort() == 0 ? refusals : new HttpsRedirectHandler(refusals);
        server.setHandler(isGraceful ? new ActiveRequests(handler) : handler);
        server.setErrorHandler(errors);
        for (Connector connector : server.getConnectors()) {
          configure(connector);
        }
        http2.configure(server);
      });
    };
  }

  /**
   * Spring Boot gives Jetty two new folders in the temporary folder at each start, and those of a
   * killed server stay. These are the same at each start, and empty.
   *
   * @param tokens are there once this process has locked the data folder
   */
  @Bean
  WebServerFactoryCustomizer<JettyServletWebServerFactory> jettyFolders(
      @Value("${artifact-server.data-dir}") String dataFolder, AccessTokenStore tokens)
      throws IOException {
    Path folder = Path.of(dataFolder).toAbsolutePath().normalize().resolve("jetty");
    FileSystemUtils.deleteRecursively(folder);
    Path documents = folder.resolve("documents");
    DurableFiles.createFolder(documents);
    return factory -> {
      factory.getSettings().setDocumentRoot(documents.toFile());
      factory.addServerCustomizers(server -> {
        for (ServletContextHandler context :
            server.getContainedBeans(ServletContextHandler.class)) {
          context.setTempDirectory(folder.resolve("temporary").toFile());
        }
      });
    };
  }

  private static void configure(Connector connector) {
    if (connector instanceof ServerConnector serverConnector) {
      serverConnector.setAcceptQueueSize(EarlyPorts.ACCEPT_QUEUE_LENGTH);
    }
    for (var factory : connector.getConnectionFactories()) {
      if (factory instanceof HttpConfiguration.ConnectionFactory http) {
        HttpConfiguration configuration = http.getHttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(MAX_REQUEST_HEADER_LENGTH);
        configuration.setOutputBufferSize(SERVLET_BUFFER_LENGTH);
        // Jetty keeps the fields of a connection's last request in 48 KB of its own: 500 MB for
        // 10,000 devices that wait.
        configuration.setHeaderCacheSize(0);
        configuration.setUriCompliance(PERCENT_IN_NAMES);
        // A LF alone ends no line here, as it may for a proxy in front (RFC 9112, section 2.2):
        // what
        // one of the two takes for a value would be a request for the other.
        configuration.setHttpCompliance(HttpCompliance.STRICT);
      }
    }
  }
}

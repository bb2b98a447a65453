package io.artifactserver.rest.api.fetch;

import io.artifactserver.core.fetch.FetchBounds;
import io.artifactserver.core.fetch.FetchStatus;
import io.artifactserver.core.fetch.Fetches;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.rest.api.audit.AuditWriter;
import io.artifactserver.rest.api.outbound.PublicAddresses;
import io.artifactserver.rest.log.FailureLog;
import java.net.InetAddress;
import java.time.Duration;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires uploads by reference. */
@Configuration(proxyBeanMethods = false)
public class FetchConfiguration {
  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(FetchConfiguration.class));

  private static final Duration PAUSE = Duration.ofSeconds(1);

  @Bean
  HttpsFiles httpsFiles(FetchProperties properties) {
    return new HttpsFiles(properties, InetAddress::getAllByName, PublicAddresses::isPublic, null);
  }

  @Bean
  Fetches fetches(
      ArtifactIngest ingest, HttpsFiles files, FetchProperties properties, AuditWriter audit) {
    return new Fetches(
        ingest,
        files,
        new FetchBounds(properties.maxConcurrent(), properties.timeout(), PAUSE),
        System::nanoTime,
        status -> ended(status, audit));
  }

  private static void ended(FetchStatus status, AuditWriter audit) {
    status
        .failure()
        .filter(failure -> !(failure instanceof IngestException))
        .ifPresent(failure ->
            FAILURES.failed("Cannot fetch %s".formatted(status.request().id()), failure));
    FetchView view = FetchView.of(status);
    audit.appendEnd(
        status.owner(),
        FetchController.PATH + '/' + status.id(),
        view.state().equals("complete"),
        view);
  }
}

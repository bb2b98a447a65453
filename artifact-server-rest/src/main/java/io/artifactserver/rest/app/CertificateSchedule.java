package io.artifactserver.rest.app;

import io.artifactserver.rest.app.jobs.Jobs;
import io.artifactserver.rest.server.tls.Certificates;
import io.artifactserver.rest.server.tls.TlsConfiguration;
import org.springframework.context.annotation.Conditional;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Looks for new certificates at an interval: file events do not cross links and mounts. */
@Component
@Conditional(TlsConfiguration.HasCertificates.class)
public record CertificateSchedule(Certificates certificates, Jobs jobs) {
  @Scheduled(
      initialDelayString = "${artifact-server.tls.check-interval:10s}",
      fixedDelayString = "${artifact-server.tls.check-interval:10s}")
  void reload() {
    if (certificates.reloadIfChanged()) {
      jobs.succeeded("certificates");
    } else {
      jobs.failed("certificates", "Still serving the old certificates; the log says why");
    }
  }
}

package io.artifactserver.rest.tls;

import io.artifactserver.rest.jobs.Jobs;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.scheduling.annotation.Scheduled;

/** Wires TLS, if there are certificates. */
@Configuration(proxyBeanMethods = false)
@Conditional(TlsConfiguration.HasCertificates.class)
public class TlsConfiguration {
  @Bean
  Certificates certificates(TlsProperties properties) {
    return new Certificates(properties);
  }

  @Bean
  CertificateReload certificateReload(Certificates certificates, Jobs jobs) {
    return new CertificateReload(certificates, jobs);
  }

  /** Looks at the files now and then. Polled: file events do not cross links and mounts. */
  static final class CertificateReload {
    private final Certificates certificates;
    private final Jobs jobs;

    CertificateReload(Certificates certificates, Jobs jobs) {
      this.certificates = certificates;
      this.jobs = jobs;
    }

    @Scheduled(
        initialDelayString = "${artifact-server.tls.check-interval:10s}",
        fixedDelayString = "${artifact-server.tls.check-interval:10s}")
    void reload() {
      if (certificates.reloadIfChanged()) {
        jobs.succeeded("certificates");
      } else {
        jobs.failed("certificates", "The old certificates are still served; the log says why");
      }
    }
  }

  /** Whether there are any. */
  public static final class HasCertificates implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return Binder.get(context.getEnvironment())
          .bind("artifact-server.tls.certificate", String[].class)
          .map(files -> files.length > 0)
          .orElse(false);
    }
  }
}

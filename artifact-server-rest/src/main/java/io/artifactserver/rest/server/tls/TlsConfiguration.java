package io.artifactserver.rest.server.tls;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Wires TLS, if there are certificates. */
@Configuration(proxyBeanMethods = false)
@Conditional(TlsConfiguration.HasCertificates.class)
@Import(Certificates.class)
public class TlsConfiguration {
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

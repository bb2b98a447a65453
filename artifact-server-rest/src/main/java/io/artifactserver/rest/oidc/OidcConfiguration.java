package io.artifactserver.rest.oidc;

import io.artifactserver.rest.auth.IssuedTokens;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;
import tools.jackson.databind.json.JsonMapper;

/** Takes tokens of an identity provider, where {@code artifact-server.oidc.issuer} names one. */
@Configuration(proxyBeanMethods = false)
@Conditional(OidcConfiguration.IssuerIsNamed.class)
public class OidcConfiguration {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  @Bean
  IssuerKeys issuerKeys(OidcProperties properties, JsonMapper mapper) {
    IssuerKeys keys = new IssuerKeys(properties.issuer(), TIMEOUT, mapper, System::nanoTime);
    // The start does not wait for it.
    keys.warmUp();
    return keys;
  }

  @Bean
  IssuedTokens issuedTokens(OidcProperties properties, IssuerKeys keys, InstantSource clock) {
    return new OidcTokens(properties, keys, clock);
  }

  /** An empty address names nobody: compose files pass on variables that are not set. */
  static final class IssuerIsNamed implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return !context.getEnvironment().getProperty("artifact-server.oidc.issuer", "").isEmpty();
    }
  }
}

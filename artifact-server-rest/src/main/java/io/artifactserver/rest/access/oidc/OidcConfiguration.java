package io.artifactserver.rest.access.oidc;

import io.artifactserver.core.access.InstallationSecret;
import io.artifactserver.rest.access.IssuedTokens;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotatedTypeMetadata;
import tools.jackson.databind.json.JsonMapper;

/** Takes tokens of an identity provider, where {@code artifact-server.oidc.issuer} names one. */
@Configuration(proxyBeanMethods = false)
@Conditional(OidcConfiguration.IssuerIsNamed.class)
@Import(OidcTokens.class)
public class OidcConfiguration {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  @Bean
  IssuerClient issuerClient() {
    return new IssuerClient(TIMEOUT);
  }

  @Bean
  Issuer issuer(OidcProperties properties, IssuerClient client, JsonMapper mapper) {
    Issuer issuer = new Issuer(properties.issuer(), client, mapper, System::nanoTime);
    // The start does not wait for it.
    issuer.warmUp();
    return issuer;
  }

  @Bean
  @Conditional(ClientIsNamed.class)
  SignIn signIn(
      OidcProperties properties,
      Issuer issuer,
      IssuerClient client,
      IssuedTokens tokens,
      InstallationSecret secret,
      InstantSource clock,
      JsonMapper mapper) {
    return new SignIn(properties, issuer, client, tokens, new SignInStates(secret, clock), mapper);
  }

  static final class IssuerIsNamed extends IsSet {
    IssuerIsNamed() {
      super("artifact-server.oidc.issuer");
    }
  }

  static final class ClientIsNamed extends IsSet {
    ClientIsNamed() {
      super("artifact-server.oidc.sign-in.client-id");
    }
  }

  /** An empty value is none: compose files pass on variables that are not set. */
  abstract static class IsSet implements Condition {
    private final String property;

    IsSet(String property) {
      this.property = property;
    }

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return !context.getEnvironment().getProperty(property, "").isEmpty();
    }
  }
}

package io.artifactserver.rest.app;

import io.artifactserver.core.access.Caller;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.BearerAuthenticationFilter;
import io.artifactserver.rest.access.OpenPaths;
import io.artifactserver.rest.access.RequestOrigin;
import io.artifactserver.rest.api.artifact.ArtifactIdResolver;
import io.artifactserver.rest.api.audit.AuditFilter;
import io.artifactserver.rest.api.audit.AuditWriter;
import io.artifactserver.rest.problem.SecurityProblems;
import io.artifactserver.rest.server.guard.Connections;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

/** The control plane: access rules, deny by default, and what Spring MVC has to know. */
@Configuration(proxyBeanMethods = false)
@Import(AuditWriter.class)
public class WebConfiguration implements WebMvcConfigurer {
  @Bean
  JacksonModule storableText() {
    return new SimpleModule("storable-text").addDeserializer(String.class, new StorableText());
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(new ArtifactIdResolver());
  }

  /**
   * Libraries that read SBOMs bring a mapper for XML, which the framework would offer to every
   * client. The API speaks JSON.
   */
  @Override
  public void configureMessageConverters(HttpMessageConverters.ServerBuilder builder) {
    builder.configureMessageConvertersList(converters ->
        converters.removeIf(each ->
            each.getSupportedMediaTypes().stream()
                .anyMatch(type -> type.getSubtype().equals("xml"))));
  }

  @Bean
  OpenPaths openPaths(AccessProperties properties) {
    return new OpenPaths(properties.publicMetrics());
  }

  @Bean
  RequestOrigin requestOrigin(Connections connections) {
    return new RequestOrigin(connections);
  }

  @Bean
  SecurityFilterChain accessRules(
      HttpSecurity http,
      Authenticator authenticator,
      SecurityProblems problems,
      OpenPaths openPaths,
      AuditWriter audit,
      RequestOrigin origin) {
    return http.csrf(AbstractHttpConfigurer::disable)
        .formLogin(AbstractHttpConfigurer::disable)
        .httpBasic(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        .sessionManagement(
            session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .addFilterBefore(
            new BearerAuthenticationFilter(authenticator, problems),
            AnonymousAuthenticationFilter.class)
        .addFilterAfter(new AuditFilter(audit, problems, origin), BearerAuthenticationFilter.class)
        .exceptionHandling(
            failures -> failures.authenticationEntryPoint(problems).accessDeniedHandler(problems))
        .authorizeHttpRequests(requests ->
            requests
                .requestMatchers(request -> openPaths.test(request.getRequestURI()))
                .permitAll()
                // They go on with a request that was let in, whatever became of its token.
                .dispatcherTypeMatchers(DispatcherType.ASYNC, DispatcherType.ERROR)
                .permitAll()
                .anyRequest()
                .access((caller, context) ->
                    new AuthorizationDecision(isAllowed(caller.get(), context.getRequest()))))
        .build();
  }

  private static boolean isAllowed(
      @Nullable Authentication authentication, HttpServletRequest request) {
    return authentication != null
        && authentication.getPrincipal() instanceof Caller caller
        && AccessRules.allow(caller, request.getMethod(), request.getRequestURI());
  }

  /** Each filter's own measurements would double the depth of a waiting upload's stack. */
  @Bean
  SecurityObservationSettings securityObservations() {
    return SecurityObservationSettings.noObservations();
  }

  /** The names of artifacts have rules of their own; what is left here is for the rest. */
  @Bean
  HttpFirewall firewall() {
    StrictHttpFirewall firewall = new StrictHttpFirewall();
    // A method that a resource does not know is a 405 of its controller, which names those it does.
    firewall.setUnsafeAllowAnyHttpMethod(true);
    firewall.setAllowSemicolon(true);
    firewall.setAllowUrlEncodedPercent(true);
    return firewall;
  }

  @Bean
  OpenAPI openApi() {
    return new OpenAPI()
        .info(
            new Info()
                .title("artifact-server")
                .description("The operator's API. Devices use /artifacts and /blobs.")
                .version("v1"))
        .components(
            new Components()
                .addSecuritySchemes(
                    "token",
                    new SecurityScheme()
                        .type(SecurityScheme.Type.HTTP)
                        .scheme("bearer")
                        .description(
                            "A token of this server; or, where artifact-server.oidc.issuer is set, a"
                                + " JSON Web Token of that provider for this server.")))
        .addSecurityItem(new SecurityRequirement().addList("token"));
  }
}

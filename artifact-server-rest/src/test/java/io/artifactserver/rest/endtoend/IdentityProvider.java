package io.artifactserver.rest.endtoend;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import io.artifactserver.rest.access.oidc.ForgedTokens;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.authorization.OAuth2TokenType;
import org.springframework.security.oauth2.server.authorization.client.InMemoryRegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClient;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.settings.AuthorizationServerSettings;
import org.springframework.security.oauth2.server.authorization.settings.ClientSettings;
import org.springframework.security.oauth2.server.authorization.token.JwtEncodingContext;
import org.springframework.security.oauth2.server.authorization.token.OAuth2TokenCustomizer;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.context.ContextLoaderListener;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.filter.DelegatingFilterProxy;
import tools.jackson.databind.json.JsonMapper;

/**
 * An OpenID Connect provider: Spring Authorization Server on a port of its own. Its clients get
 * tokens by their secret; those of {@code elsewhere} are for another service. People sign in with
 * its form, for a client that has no secret or for one that has. Used by one thread.
 */
final class IdentityProvider implements AutoCloseable {
  static final String AUDIENCE = "artifact-server";

  /** For people; its ID tokens are for this server. */
  static final String PUBLIC_CLIENT = AUDIENCE;

  /** For people; its ID tokens are for itself, its access tokens for this server. */
  static final String SECRET_CLIENT = "console";

  private static final String SECRET = "secret";
  private static final Pattern CSRF = Pattern.compile("name=\"_csrf\"[^>]* value=\"([^\"]+)\"");

  private static final Map<String, List<String>> GROUPS =
      Map.of(
          "pipeline", List.of("everyone", "ci"),
          "viewer", List.of("viewers"),
          "elsewhere", List.of("admins"),
          "alice", List.of("everyone", "admins"),
          "guest", List.of("everyone"));

  private final int port;
  private final AtomicReference<RSAKey> key =
      new AtomicReference<>(ForgedTokens.newKey(UUID.randomUUID().toString()));
  private final Server server = new Server();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  IdentityProvider(int port) {
    this.port = port;
  }

  void start() throws Exception {
    AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
    context.addBeanFactoryPostProcessor(factory -> factory.registerSingleton("provider", this));
    context.register(Wiring.class);
    ServletContextHandler servlets = new ServletContextHandler(ServletContextHandler.SESSIONS);
    servlets.addEventListener(new ContextLoaderListener(context));
    servlets.addFilter(
        new FilterHolder(new DelegatingFilterProxy("springSecurityFilterChain")),
        "/*",
        EnumSet.of(DispatcherType.REQUEST));
    // Behind the filters there is nothing.
    servlets.addServlet(new ServletHolder(new HttpServlet() {}), "/");
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    server.addConnector(connector);
    server.setHandler(servlets);
    server.start();
  }

  String issuer() {
    return "http://127.0.0.1:" + port;
  }

  /** Signs with another key from now on, and forgets this one. */
  void rotate() {
    key.set(ForgedTokens.newKey(UUID.randomUUID().toString()));
  }

  /** Tokens with this provider's key that it would not issue. */
  ForgedTokens forger() {
    return new ForgedTokens(issuer(), AUDIENCE, key.get());
  }

  /** An access token of a client that has a secret. */
  String tokenOfClient(String id) throws IOException, InterruptedException {
    return token(
        Map.of("grant_type", "client_credentials", "client_id", id, "client_secret", SECRET + id),
        "access_token");
  }

  /** The secret of a client. */
  static String secretOf(String client) {
    return SECRET + client;
  }

  /**
   * Signs a person in as a browser would.
   *
   * @param address at this provider to which the browser was sent
   * @return where the provider sends the browser back
   */
  URI signIn(URI address, String person) throws IOException, InterruptedException {
    try (HttpClient browser =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .cookieHandler(new CookieManager())
            .build()) {
      // The provider remembers the address, and shows its form.
      HttpResponse<String> sent = browser.send(page(address), BodyHandlers.ofString());
      URI login = location(sent);
      String html = browser.send(page(login), BodyHandlers.ofString()).body();
      Matcher csrf = CSRF.matcher(html);
      if (!csrf.find()) {
        throw new IllegalStateException("No form at " + login + ": " + html);
      }
      Map<String, String> fields =
          Map.of("username", person, "password", SECRET + person, "_csrf", csrf.group(1));
      URI next = location(browser.send(post("/login", fields), BodyHandlers.ofString()));
      return location(browser.send(page(next), BodyHandlers.ofString()));
    }
  }

  private static HttpRequest page(URI address) {
    return HttpRequest.newBuilder(address).header("Accept", "text/html").build();
  }

  private static URI location(HttpResponse<String> response) {
    return response
        .headers()
        .firstValue("Location")
        .map(response.uri()::resolve)
        .orElseThrow(() ->
            new IllegalStateException(
                "%s answers %d: %s"
                    .formatted(response.uri(), response.statusCode(), response.body())));
  }

  @Override
  public void close() {
    client.close();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private String token(Map<String, String> form, String kind)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = client.send(post("/oauth2/token", form), BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(answer.statusCode() + " " + answer.body());
    }
    return JsonMapper.shared().readTree(answer.body()).get(kind).asString();
  }

  private HttpRequest post(String path, Map<String, String> form) {
    return HttpRequest.newBuilder(URI.create(issuer() + path))
        .version(HttpClient.Version.HTTP_1_1)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(BodyPublishers.ofString(form(form)))
        .build();
  }

  private static String form(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(field ->
            field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableWebSecurity
  static class Wiring {
    @Bean
    SecurityFilterChain filters(HttpSecurity http) {
      return http.oauth2AuthorizationServer(server -> server.oidc(Customizer.withDefaults()))
          .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .formLogin(Customizer.withDefaults())
          .build();
    }

    @Bean
    AuthorizationServerSettings settings(IdentityProvider provider) {
      return AuthorizationServerSettings.builder().issuer(provider.issuer()).build();
    }

    @Bean
    JWKSource<SecurityContext> keys(IdentityProvider provider) {
      return (selector, _) -> selector.select(new JWKSet(provider.key.get()));
    }

    @Bean
    JwtDecoder decoder(JWKSource<SecurityContext> keys) {
      return NimbusJwtDecoder.withJwkSource(keys).build();
    }

    @Bean
    RegisteredClientRepository clients() {
      List<RegisteredClient> clients = new ArrayList<>();
      for (String id : GROUPS.keySet()) {
        clients.add(
            RegisteredClient.withId(id)
                .clientId(id)
                .clientSecret("{noop}" + SECRET + id)
                .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_POST)
                .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
                .build());
      }
      clients.add(
          forPeople(PUBLIC_CLIENT)
              .clientAuthenticationMethod(ClientAuthenticationMethod.NONE)
              .build());
      clients.add(
          forPeople(SECRET_CLIENT)
              .clientSecret("{noop}" + secretOf(SECRET_CLIENT))
              .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
              .build());
      return new InMemoryRegisteredClientRepository(clients);
    }

    private static RegisteredClient.Builder forPeople(String id) {
      return RegisteredClient.withId(id)
          .clientId(id)
          .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
          // On whatever port.
          .redirectUri("http://127.0.0.1/swagger-ui/index.html")
          .redirectUri("http://127.0.0.1/login/end")
          .scope("openid")
          .scope("profile")
          .clientSettings(ClientSettings.builder().requireProofKey(true).build());
    }

    @Bean
    UserDetailsService people() {
      return new InMemoryUserDetailsManager(
          Stream.of("alice", "guest")
              .map(name -> User.withUsername(name).password("{noop}" + SECRET + name).build())
              .toArray(UserDetails[]::new));
    }

    @Bean
    OAuth2TokenCustomizer<JwtEncodingContext> claims() {
      return token -> {
        String name = Objects.requireNonNull(token.<Authentication>getPrincipal()).getName();
        token
            .getClaims()
            .claim("groups", GROUPS.getOrDefault(name, List.of()))
            .claim("preferred_username", name);
        boolean isAccessToken = token.getTokenType().equals(OAuth2TokenType.ACCESS_TOKEN);
        if (isAccessToken && !name.equals("elsewhere")) {
          token.getClaims().audience(List.of(AUDIENCE));
        }
      };
    }
  }
}

package io.artifactserver.rest.access.oidc;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.access.IssuedTokens;
import io.artifactserver.rest.access.IssuerUnavailableException;
import io.artifactserver.rest.log.FailureLog;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * People get a token of the identity provider by signing in there (OpenID Connect Core, section
 * 3.1), with proof that whoever brings the code is who began (PKCE, RFC 7636). Between the two
 * steps the page keeps what they need; the server signs it. Thread-safe; blocks while the provider
 * is asked.
 */
public final class SignIn {
  private static final Logger LOG = LoggerFactory.getLogger(SignIn.class);

  private static final FailureLog FAILURES = new FailureLog(LOG);

  private static final int SECRET_BYTES = 32;

  private final OidcProperties properties;
  private final Issuer issuer;
  private final IssuerClient client;
  private final IssuedTokens tokens;
  private final SignInStates states;
  private final JsonMapper mapper;
  private final SecureRandom random = new SecureRandom();

  SignIn(
      OidcProperties properties,
      Issuer issuer,
      IssuerClient client,
      IssuedTokens tokens,
      SignInStates states,
      JsonMapper mapper) {
    this.properties = properties;
    this.issuer = issuer;
    this.client = client;
    this.tokens = tokens;
    this.states = states;
    this.mapper = mapper;
  }

  /**
   * Begins.
   *
   * @param redirect the page to which the provider sends the person back
   * @throws IssuerUnavailableException if the provider does not say where people sign in
   */
  public Offer start(URI redirect) {
    String verifier = secret();
    String state = states.issue(challenge(verifier), redirect);
    OAuth2AuthorizationRequest request =
        OAuth2AuthorizationRequest.authorizationCode()
            .authorizationUri(address("authorization_endpoint").toString())
            .clientId(properties.signIn().clientId())
            .redirectUri(redirect.toString())
            .scope(properties.signIn().scopes().toArray(String[]::new))
            .state(state)
            .additionalParameters(parameters -> {
              parameters.put("code_challenge", challenge(verifier));
              parameters.put("code_challenge_method", "S256");
            })
            .build();
    return new Offer(
        properties.issuer(), URI.create(request.getAuthorizationRequestUri()), state, verifier);
  }

  /**
   * Ends: the code becomes a token.
   *
   * @param code that the provider gave the person's browser
   * @param state of the start
   * @param verifier of the start
   * @param redirect as at the start
   * @throws IssuerUnavailableException if the provider does not answer as one
   * @throws SignInRefusedException if the provider refuses the code, its tokens are not for this
   *     server, or the sign-in did not begin here; then the provider is not asked
   */
  public End end(String code, String state, String verifier, URI redirect) {
    if (!states.take(state, challenge(verifier), redirect)) {
      throw new SignInRefusedException(
          "\"state\" is not of a sign-in that began here, with this verifier and page, in the last"
              + " %d minutes, or it was used before".formatted(SignInStates.LIFETIME.toMinutes()));
    }
    Map<String, String> form = new LinkedHashMap<>();
    form.put("grant_type", "authorization_code");
    form.put("code", code);
    form.put("redirect_uri", redirect.toString());
    form.put("code_verifier", verifier);
    JsonNode answer;
    try {
      answer = exchange(form);
    } catch (IssuerUnavailableException e) {
      states.giveBack(state);
      throw e;
    }
    for (String kind : List.of("id_token", "access_token")) {
      String token = answer.path(kind).asString("");
      Optional<Caller> caller =
          tokens.hasForm(token) ? tokens.find(token, Reach.DATABASE) : Optional.empty();
      if (caller.isPresent()) {
        LOG.info("{} ({}) has signed in", caller.get().name(), caller.get().id());
        return new End(token, caller.get());
      }
    }
    throw new SignInRefusedException(
        "neither the ID token nor the access token of %s is for \"%s\", which is"
                .formatted(properties.issuer(), properties.audience())
            + " artifact-server.oidc.audience");
  }

  private JsonNode exchange(Map<String, String> form) {
    try {
      HttpResponse<String> response = client.send(request(form));
      JsonNode answer = mapper.readTree(response.body());
      String error = answer.path("error").asString("");
      if (!error.isEmpty()) {
        String description = answer.path("error_description").asString("");
        throw new SignInRefusedException(
            "%s says %s%s"
                .formatted(
                    properties.issuer(),
                    error,
                    description.isEmpty() ? "" : " (" + description + ')'));
      }
      if (response.statusCode() != 200) {
        throw new IOException("the token endpoint answered " + response.statusCode());
      }
      return answer;
    } catch (IOException | JacksonException e) {
      FAILURES.failed("Nobody can sign in with " + properties.issuer(), e);
      throw new IssuerUnavailableException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Authenticates as the provider wants it (OpenID Connect Core, section 9). */
  private HttpRequest request(Map<String, String> form) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address("token_endpoint"))
            .header("Accept", "application/json")
            .header("Content-Type", "application/x-www-form-urlencoded");
    String id = properties.signIn().clientId();
    String secret = properties.signIn().clientSecret();
    JsonNode methods = issuer.metadata().path("token_endpoint_auth_methods_supported");
    boolean isBasic =
        methods.isMissingNode()
            || methods
                .valueStream()
                .anyMatch(each -> each.asString("").equals("client_secret_basic"));
    if (!secret.isEmpty() && isBasic) {
      byte[] pair = (encoded(id) + ':' + encoded(secret)).getBytes(StandardCharsets.US_ASCII);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
    } else {
      form.put("client_id", id);
      if (!secret.isEmpty()) {
        form.put("client_secret", secret);
      }
    }
    String body =
        form.entrySet().stream()
            .map(field -> field.getKey() + '=' + encoded(field.getValue()))
            .collect(Collectors.joining("&"));
    return request.POST(BodyPublishers.ofString(body)).build();
  }

  private URI address(String property) {
    try {
      return Issuer.address(issuer.metadata(), property);
    } catch (IOException e) {
      throw new IssuerUnavailableException(String.valueOf(e.getMessage()), e);
    }
  }

  private String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** As of RFC 7636, section 4.2. */
  private static String challenge(String verifier) {
    byte[] digest =
        DigestAlgorithm.SHA_256
            .newMessageDigest()
            .digest(verifier.getBytes(StandardCharsets.US_ASCII));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /**
   * Where to sign in.
   *
   * @param issuer the identity provider
   * @param url to open in a browser
   * @param state that the provider sends back; refuse any other; for the second step
   * @param verifier for the second step
   */
  public record Offer(String issuer, URI url, String state, String verifier) {
    /** Without the secrets. */
    @Override
    public String toString() {
      return "Offer[" + issuer + "]";
    }
  }

  /**
   * A sign-in that has ended well.
   *
   * @param token good as Bearer
   * @param caller its owner
   */
  public record End(String token, Caller caller) {
    /** Without the token. */
    @Override
    public String toString() {
      return "End[" + caller.id() + "]";
    }
  }
}

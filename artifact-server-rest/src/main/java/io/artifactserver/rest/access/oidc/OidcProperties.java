package io.artifactserver.rest.access.oidc;

import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * The provider whose tokens are accepted beside this server's own. Immutable.
 *
 * @param issuer the identity provider, exactly as it names itself, such as {@code
 *     https://id.example.com/realms/fleet}; empty, the default, and there is none
 * @param audience whom a token must be for: this server's client id at the provider
 * @param groupsClaim claim with the groups of a token's owner; default {@code groups}. Dots lead
 *     into objects, as in {@code realm_access.roles}.
 * @param nameClaim claim with the owner's name for the audit; default {@code preferred_username}. A
 *     token without it is named by its subject.
 * @param clockSkew how far the provider's clock may be off; default 60 seconds
 * @param grants of rights to groups; the first grant of one of the owner's groups counts
 * @param signIn how people get such a token with a browser
 */
@ConfigurationProperties("artifact-server.oidc")
public record OidcProperties(
    @DefaultValue("") String issuer,
    @DefaultValue("") String audience,
    @DefaultValue("groups") String groupsClaim,
    @DefaultValue("preferred_username") String nameClaim,
    @DefaultValue("60s") Duration clockSkew,
    @DefaultValue List<Grant> grants,
    @DefaultValue SignIn signIn) {
  private static final String ROOT = "artifact-server.oidc.";
  private static final Duration MOST_SKEW = Duration.ofMinutes(5);

  /**
   * @throws IllegalArgumentException if there is an issuer, and something is missing or wrong
   */
  public OidcProperties {
    grants = List.copyOf(grants);
    Assert.isTrue(
        !clockSkew.isNegative() && clockSkew.compareTo(MOST_SKEW) <= 0,
        ROOT + "clock-skew must be 0s to 5m, not " + clockSkew);
    if (!issuer.isEmpty()) {
      requireIssuer(issuer);
      Assert.isTrue(
          !audience.isEmpty(),
          ROOT + "audience is needed: without it, tokens for other services would be good here");
      Assert.isTrue(
          !grants.isEmpty(),
          ROOT + "grants[0].group and .role are needed: without a grant nobody is let in");
    } else {
      Assert.isTrue(
          signIn.clientId.isEmpty(),
          ROOT + "issuer is needed: sign-in.client-id is a name at that provider");
    }
  }

  private static void requireIssuer(String issuer) {
    URI uri;
    try {
      uri = URI.create(issuer);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(ROOT + "issuer is no address: " + issuer, e);
    }
    Assert.isTrue(
        isSafe(uri) && uri.getRawQuery() == null && uri.getRawFragment() == null,
        "%sissuer is an address such as https://id.example.com, not %s; http is for this machine alone"
            .formatted(ROOT, issuer));
  }

  /** Whether nobody on the way can put in keys of their own. */
  static boolean isSafe(URI uri) {
    String host = uri.getHost();
    return host != null
        && uri.getRawUserInfo() == null
        && ("https".equals(uri.getScheme())
            || ("http".equals(uri.getScheme())
                && Set.of("localhost", "127.0.0.1", "[::1]").contains(host)));
  }

  /**
   * How people sign in with a browser. Immutable.
   *
   * @param clientId this server's name at the provider, which must know the address of its page;
   *     empty, the default, and nobody can sign in
   * @param clientSecret for a provider that wants one of clients that can keep it; default empty
   * @param scopes to ask for; default {@code openid} and {@code profile}
   */
  public record SignIn(
      @DefaultValue("") String clientId,
      @DefaultValue("") String clientSecret,
      @DefaultValue({"openid", "profile"}) List<String> scopes) {
    /**
     * @throws IllegalArgumentException if there is a secret and no client, or the scopes are not
     *     those of OpenID Connect
     */
    public SignIn {
      scopes = List.copyOf(scopes);
      Assert.isTrue(
          !clientId.isEmpty() || clientSecret.isEmpty(),
          ROOT + "sign-in.client-id is needed: client-secret is that client's");
      Assert.isTrue(
          scopes.contains("openid"),
          ROOT + "sign-in.scopes has \"openid\" among them, or there is no ID token");
    }

    /** Without the secret. */
    @Override
    public String toString() {
      return "SignIn[" + clientId + ", " + scopes + "]";
    }
  }

  /**
   * The rights of a group's members.
   *
   * @param group as the claim names it
   * @param role default {@code device}
   * @param repositories that they reach; default all
   * @param paths prefixes that they reach, as in a token; default all
   */
  public record Grant(
      @DefaultValue("") String group,
      @DefaultValue("device") Role role,
      @DefaultValue Set<String> repositories,
      @DefaultValue Set<String> paths) {
    /**
     * @throws IllegalArgumentException if there is no group, or the scope is none
     */
    public Grant {
      repositories = Set.copyOf(repositories);
      paths = Set.copyOf(paths);
      Assert.isTrue(!group.isEmpty(), "Each of %sgrants names a group".formatted(ROOT));
      Scope scope = new Scope(repositories, paths);
      Assert.isTrue(
          role != Role.ADMIN || scope.equals(Scope.ALL),
          "%sgrants: an admin may do everything everywhere; choose another role for %s, or leave repositories and paths out"
              .formatted(ROOT, group));
    }

    Scope scope() {
      return new Scope(repositories, paths);
    }
  }
}

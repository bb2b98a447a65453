package io.artifactserver.rest.access.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.artifactserver.core.access.Role;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The defaults, every name, and what is refused. */
class OidcPropertiesTest {
  private static final Map<String, String> GOOD =
      Map.of(
          "issuer", "https://id.example.com/realms/fleet",
          "audience", "artifact-server",
          "grants[0].group", "fleet-admins",
          "grants[0].role", "admin");

  private static final OidcProperties.SignIn NO_SIGN_IN =
      new OidcProperties.SignIn("", "", List.of("openid", "profile"));

  @Test
  void thereIsNoProviderByDefault() {
    assertThat(bind(Map.of()))
        .isEqualTo(
            new OidcProperties(
                "",
                "",
                "groups",
                "preferred_username",
                Duration.ofSeconds(60),
                List.of(),
                NO_SIGN_IN));
  }

  @Test
  void everyName() {
    assertThat(
            bind(
                Map.ofEntries(
                    Map.entry("issuer", "https://id.example.com"),
                    Map.entry("audience", "artifact-server"),
                    Map.entry("groups-claim", "realm_access.roles"),
                    Map.entry("name-claim", "email"),
                    Map.entry("clock-skew", "5s"),
                    Map.entry("grants[0].group", "/board a"),
                    Map.entry("grants[0].role", "publisher"),
                    Map.entry("grants[0].repositories", "boards,edge"),
                    Map.entry("grants[0].paths", "nightly"),
                    Map.entry("sign-in.client-id", "console"),
                    Map.entry("sign-in.client-secret", "hush"),
                    Map.entry("sign-in.scopes", "openid,groups"))))
        .isEqualTo(
            new OidcProperties(
                "https://id.example.com",
                "artifact-server",
                "realm_access.roles",
                "email",
                Duration.ofSeconds(5),
                List.of(
                    new OidcProperties.Grant(
                        "/board a", Role.PUBLISHER, Set.of("boards", "edge"), Set.of("nightly"))),
                new OidcProperties.SignIn("console", "hush", List.of("openid", "groups"))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://id.example.com",
        "https://id.example.com:8443/a/",
        "http://localhost:9000",
        "http://127.0.0.1:9000/realms/x",
        "http://[::1]:9000"
      })
  void takesAnIssuer(String issuer) {
    assertThat(bind(with("issuer", issuer)).issuer()).isEqualTo(issuer);
  }

  @ParameterizedTest
  @CsvSource({
    "issuer, id.example.com, issuer",
    "issuer, http://id.example.com, https",
    "issuer, http://localhost.example.com, https",
    "issuer, https://user@id.example.com, issuer",
    "issuer, https://id.example.com?x=1, issuer",
    "issuer, ftp://id.example.com, issuer",
    "issuer, 'https://id example', issuer",
    "audience, '', audience",
    "clock-skew, -1s, clock-skew",
    "clock-skew, 6m, clock-skew",
    "grants[0].group, '', group",
    "grants[0].role, root, grants[0].role",
    "grants[0].repositories, boards, admin",
    "grants[0].paths, /x, prefix",
    "sign-in.client-secret, hush, sign-in.client-id",
    "sign-in.scopes, profile, openid"
  })
  void refuses(String name, String value, String named) {
    assertThatException()
        .isThrownBy(() -> bind(with(name, value)))
        .satisfies(e -> assertThat(messages(e)).contains(named));
  }

  @Test
  void letsNobodyInWithoutAGrant() {
    Map<String, String> without = new TreeMap<>(GOOD);
    without.keySet().removeIf(name -> name.startsWith("grants"));
    assertThatException()
        .isThrownBy(() -> bind(without))
        .satisfies(e -> assertThat(messages(e)).contains("grants[0].group"));
  }

  @Test
  void aClientIsOfAProvider() {
    assertThatException()
        .isThrownBy(() -> bind(Map.of("sign-in.client-id", "console")))
        .satisfies(e -> assertThat(messages(e)).contains("issuer"));
  }

  @Test
  void theSecretIsNotShown() {
    assertThat(new OidcProperties.SignIn("console", "hush", List.of("openid")).toString())
        .contains("console")
        .doesNotContain("hush");
  }

  private static String messages(Throwable failure) {
    StringBuilder messages = new StringBuilder();
    for (Throwable each = failure; each != null; each = each.getCause()) {
      messages.append(each.getMessage()).append('\n');
    }
    return messages.toString();
  }

  private static Map<String, String> with(String name, String value) {
    Map<String, String> changed = new TreeMap<>(GOOD);
    changed.put(name, value);
    return changed;
  }

  private static OidcProperties bind(Map<String, String> values) {
    Map<String, String> named = new TreeMap<>();
    values.forEach((name, value) -> named.put("artifact-server.oidc." + name, value));
    return Objects.requireNonNull(
        new Binder(new MapConfigurationPropertySource(named))
            .bindOrCreate("artifact-server.oidc", OidcProperties.class));
  }
}

package io.artifactserver.rest.access.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Reach;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OidcTokensTest {
  private static final String ISSUER = "https://id.example.com/realms/fleet";
  private static final RSAKey KEY = ForgedTokens.newKey("key-1");

  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
  private final ForgedTokens provider = new ForgedTokens(ISSUER, "artifact-server", KEY);
  private final OidcTokens tokens = tokens("groups", "preferred_username");

  static Stream<Arguments> bad() throws Exception {
    return new ForgedTokens(ISSUER, "artifact-server", KEY)
        .bad("admins").entrySet().stream()
            .map(token -> Arguments.of(token.getKey(), token.getValue()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bad")
  void isRefused(String kind, String token) {
    assertThat(tokens.verify(token)).as(kind).isEmpty();
    assertThat(tokens.find(token, Reach.MEMORY)).as(kind).isEmpty();
  }

  @Test
  void theFirstGrantOfAGroupCounts() {
    assertThat(tokens.verify(provider.good("others", "ci", "admins")))
        .contains(
            new Caller(
                "oidc:subject-1",
                "ada",
                Role.PUBLISHER,
                new Scope(Set.of("boards"), Set.of("nightly"))));
    assertThat(tokens.verify(provider.good("admins")))
        .contains(new Caller("oidc:subject-1", "ada", Role.ADMIN, Scope.ALL));
  }

  @Test
  void whoIsInNoGroupMayNothing() {
    Caller nobody = tokens.verify(provider.good()).orElseThrow();
    assertThat(nobody.role()).isEqualTo(Role.DEVICE);
    assertThat(nobody.mayRead(new ArtifactId("boards", "x"))).isFalse();
    assertThat(nobody.mayReadSomeOf("boards")).isFalse();
    assertThat(nobody.mayReadAllOf("boards")).isFalse();
  }

  @Test
  void aGroupMayBeOneWordOrLieDeep() {
    String word = provider.sign(provider.claims().claim("groups", "admins").build());
    assertThat(tokens.find(word, Reach.DATABASE).orElseThrow().role()).isEqualTo(Role.ADMIN);
    String deep =
        provider.sign(
            provider.claims().claim("realm_access", Map.of("roles", List.of("admins"))).build());
    assertThat(tokens("realm_access.roles", "sub").find(deep, Reach.DATABASE).orElseThrow().role())
        .isEqualTo(Role.ADMIN);
    String dotted =
        provider.sign(provider.claims().claim("https://a.b/groups", List.of("admins")).build());
    assertThat(
            tokens("https://a.b/groups", "sub").find(dotted, Reach.DATABASE).orElseThrow().role())
        .isEqualTo(Role.ADMIN);
    String number = provider.sign(provider.claims().claim("groups", 7).build());
    assertThat(tokens.find(number, Reach.DATABASE).orElseThrow().scope()).isEqualTo(Scope.NOTHING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a\nb"})
  void whoHasNoGoodNameIsNamedByTheSubject(String name) {
    String token = provider.sign(provider.claims().claim("preferred_username", name).build());
    assertThat(tokens.verify(token).orElseThrow().name()).isEqualTo("subject-1");
  }

  @Test
  void accessTokensMaySayThatTheyAreSome() {
    for (String type : List.of("JWT", "at+jwt", "application/at+jwt")) {
      JWSHeader header =
          new JWSHeader.Builder(JWSAlgorithm.PS384)
              .keyID("key-1")
              .type(new JOSEObjectType(type))
              .build();
      assertThat(tokens.verify(provider.sign(header, provider.claims("admins").build())))
          .as(type)
          .isPresent();
    }
  }

  @Test
  void isRememberedUntilItExpires() {
    JWTClaimsSet claims =
        provider.claims("admins").expirationTime(Date.from(now.get().plusSeconds(100))).build();
    String token = provider.sign(claims);
    assertThat(tokens.find(token, Reach.MEMORY)).isEmpty();
    assertThat(tokens.verify(token)).isPresent();
    assertThat(tokens.find(token, Reach.MEMORY)).isPresent();
    now.updateAndGet(time -> time.plusSeconds(99));
    assertThat(tokens.find(token, Reach.MEMORY)).isPresent();
    now.updateAndGet(time -> time.plusSeconds(70));
    assertThat(tokens.find(token, Reach.MEMORY)).isEmpty();
    assertThat(tokens.verify(token)).isEmpty();
  }

  @Test
  void tellsItsTokensFromOthersByTheirForm() {
    assertThat(tokens.hasForm(provider.good())).isTrue();
    for (String other : List.of("", "as_0123_4567", "a.b", "a.b.c.d.e", "a.b.c d", "..", "a..c")) {
      assertThat(tokens.hasForm(other)).as(other).isFalse();
    }
  }

  private OidcTokens tokens(String groupsClaim, String nameClaim) {
    return new OidcTokens(
        new OidcProperties(
            ISSUER,
            "artifact-server",
            groupsClaim,
            nameClaim,
            Duration.ofSeconds(60),
            List.of(
                new OidcProperties.Grant("ci", Role.PUBLISHER, Set.of("boards"), Set.of("nightly")),
                new OidcProperties.Grant("admins", Role.ADMIN, Set.of(), Set.of())),
            new OidcProperties.SignIn("", "", List.of("openid"))),
        (selector, _) -> selector.select(new JWKSet(KEY.toPublicJWK())),
        now::get);
  }
}

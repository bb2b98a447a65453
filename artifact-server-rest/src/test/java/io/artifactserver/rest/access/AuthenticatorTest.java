package io.artifactserver.rest.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.CertificateGrant;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.TokenDigest;
import io.artifactserver.core.access.TokenSecret;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.rest.access.link.LinkProperties;
import io.artifactserver.rest.access.link.Links;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The accounts that lookups are counted for. */
class AuthenticatorTest {
  private static final String PROXY = "10.0.0.1";

  private final Map<String, AccessToken> database = new HashMap<>();
  private final Set<TokenDigest> known = new HashSet<>();
  private Authenticator authenticator;

  @BeforeEach
  void create(@TempDir Path folder) throws IOException {
    AccessTokenStore tokens =
        (AccessTokenStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {AccessTokenStore.class},
                (_, method, arguments) ->
                    switch (method.getName()) {
                      case "peek" -> Optional.empty();
                      case "find" -> Optional.ofNullable(database.get(arguments[0]));
                      case "knows" -> known.contains(arguments[0]);
                      case "forget" -> known.remove(arguments[0]);
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    Links links =
        new Links(
            folder,
            new LinkProperties(Duration.ofDays(7), Duration.ofSeconds(30), Set.of()),
            InstantSource.system());
    authenticator =
        new Authenticator(
            tokens,
            links,
            new TokenUses(tokens, InstantSource.system()),
            new WrongSecrets(() -> 1),
            Optional.of(new JwtLike()),
            InstantSource.system());
  }

  private TokenSecret add() {
    TokenSecret secret = TokenSecret.generate();
    AccessToken token = secret.toAccessToken("device", Role.DEVICE, Set.of(), Instant.EPOCH);
    database.put(token.id(), token);
    known.add(token.tokenDigest());
    return secret;
  }

  private static Credentials bearer(TokenSecret secret) {
    return Credentials.of("Bearer " + secret.reveal());
  }

  private void flood() {
    for (int i = 0; i < 200; i++) {
      authenticator.authenticate(bearer(TokenSecret.generate()), PROXY);
    }
  }

  @Test
  void aGoodTokenIsNeverHeldUpByWrongOnesOfItsAddress() {
    TokenSecret good = add();
    flood();
    assertThat(authenticator.sender(bearer(TokenSecret.generate()), PROXY))
        .isEqualTo(new Sender(PROXY, false, true));
    assertThat(authenticator.sender(bearer(good), PROXY)).isEqualTo(Sender.known(good.id()));
  }

  /** Else the time of an answer would tell which ids there are. */
  @Test
  void aWrongSecretOfAnIdThatExistsIsAStrangers() {
    TokenSecret wrong =
        TokenSecret.parse("as_%s_%s".formatted(add().id(), "0".repeat(64))).orElseThrow();
    assertThat(authenticator.sender(bearer(wrong), PROXY)).isEqualTo(Sender.stranger(PROXY));
    flood();
    assertThat(authenticator.sender(bearer(wrong), PROXY).isThrottled()).isTrue();
  }

  @Test
  void aTokenThatWasRevokedElsewhereIsKnownOnceMore() {
    TokenSecret revoked = add();
    database.clear();
    assertThat(authenticator.sender(bearer(revoked), PROXY).isKnown()).isTrue();
    assertThat(authenticator.authenticate(bearer(revoked), PROXY))
        .isInstanceOf(Authentication.Refused.class);
    assertThat(authenticator.sender(bearer(revoked), PROXY).isKnown()).isFalse();
  }

  /** Its signature says whether it is good, and no database is asked. */
  @Test
  void aProvidersTokenIsNotThrottled() {
    flood();
    Sender sender = authenticator.sender(Credentials.of("Bearer a.b.c"), PROXY);
    assertThat(sender.isThrottled()).isFalse();
    assertThat(sender.account()).isNotEqualTo(PROXY);
  }

  @Test
  void aCertificateWithAGrantHasAnAccountOfItsOwn() {
    CertificateGrant grant = new CertificateGrant("CN=device");
    Credentials credentials = Credentials.ofCertificate(grant.subject());
    assertThat(authenticator.sender(credentials, PROXY)).isEqualTo(Sender.stranger(PROXY));
    known.add(grant.tokenDigest());
    assertThat(authenticator.sender(credentials, PROXY)).isEqualTo(Sender.known(grant.id()));
  }

  /** Has the form of a provider's tokens, and verifies none. */
  private static final class JwtLike implements IssuedTokens {
    @Override
    public boolean hasForm(String token) {
      return List.of(token.split("\\.", -1)).size() == 3;
    }

    @Override
    public Optional<Caller> find(String token, Reach reach) {
      return Optional.empty();
    }
  }
}

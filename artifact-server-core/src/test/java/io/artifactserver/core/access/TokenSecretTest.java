package io.artifactserver.core.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenSecretTest {
  private static final String ID = "0123456789abcdef";
  private static final String SECRET = "0123456789abcdef".repeat(4);

  @Test
  void comesBackFromItsText() {
    TokenSecret made = TokenSecret.generate();
    TokenSecret parsed = TokenSecret.parse(made.reveal()).orElseThrow();
    assertThat(parsed.id()).isEqualTo(made.id());
    assertThat(parsed.reveal()).isEqualTo(made.reveal()).matches("as_[0-9a-f]{16}_[0-9a-f]{64}");
    assertThat(parsed.unlocks(kept(made))).isTrue();
  }

  @Test
  void unlocksNoOtherToken() {
    TokenSecret one = TokenSecret.generate();
    TokenSecret other = TokenSecret.generate();
    assertThat(one.unlocks(kept(other))).isFalse();
    String forged = "as_" + one.id() + "_" + SECRET;
    assertThat(TokenSecret.parse(forged).orElseThrow().unlocks(kept(one))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "as_",
        "as_" + ID + "_",
        "as_" + ID + "_0123",
        "AS_" + ID + "_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "as-" + ID + "_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "as_" + ID + "-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "as_" + ID + "_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0",
        "as_0123456789abcde\n_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "as_" + ID + "_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\u00e9",
        " as_" + ID + "_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
      })
  void refusesWhatIsNoToken(String text) {
    assertThat(TokenSecret.parse(text)).isEmpty();
  }

  @Test
  void upperCaseIsAnotherToken() {
    TokenSecret made = TokenSecret.generate();
    assertThat(TokenSecret.parse(made.reveal().toUpperCase(Locale.ROOT))).isEmpty();
  }

  @Test
  void hidesTheSecret() {
    TokenSecret made = TokenSecret.generate();
    String secret = made.reveal().substring(20);
    assertThat(made.toString()).contains(made.id()).doesNotContain(secret);
    assertThat(kept(made).toString()).doesNotContain(secret);
  }

  @Test
  void aDeviceReadsItsRepositoriesAndAnAdminEveryOne() {
    AccessToken everything = token(Role.DEVICE, Set.of());
    AccessToken one = token(Role.DEVICE, Set.of("edge"));
    AccessToken operator = token(Role.ADMIN, Set.of("edge"));
    assertThat(everything.caller().mayReadAllOf("other")).isTrue();
    assertThat(one.caller().mayReadAllOf("edge")).isTrue();
    assertThat(one.caller().mayReadAllOf("other")).isFalse();
    assertThat(operator.caller().mayReadAllOf("other")).isTrue();
  }

  private static AccessToken kept(TokenSecret secret) {
    return secret.toAccessToken("robot", Role.DEVICE, Set.of(), Instant.EPOCH);
  }

  private static AccessToken token(Role role, Set<String> repositories) {
    return TokenSecret.generate().toAccessToken("robot", role, repositories, Instant.EPOCH);
  }
}

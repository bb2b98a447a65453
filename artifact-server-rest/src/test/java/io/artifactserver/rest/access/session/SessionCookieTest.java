package io.artifactserver.rest.access.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SessionCookieTest {
  @Test
  void isOutOfReachOfScriptsAndOtherSites() {
    assertThat(SessionCookie.of("secret", false))
        .isEqualTo("artifact-server-session=secret; Path=/; HttpOnly; SameSite=Strict");
    assertThat(SessionCookie.of("secret", true))
        .isEqualTo(
            "__Host-artifact-server-session=secret; Path=/; HttpOnly; SameSite=Strict; Secure");
    assertThat(SessionCookie.none(true)).contains("Secure").endsWith("Max-Age=0");
  }

  @Test
  void isReadAmongOthers() {
    assertThat(SessionCookie.secret("a=b; artifact-server-session=s;c", false)).hasValue("s");
    assertThat(SessionCookie.secret("xartifact-server-session=s", false)).isEmpty();
    assertThat(SessionCookie.secret("", false)).isEmpty();
    assertThat(SessionCookie.secret(";;=;", false)).isEmpty();
  }

  /** A neighbour under the same domain can set a cookie without the prefix, not one with it. */
  @Test
  void overTlsOnlyTheOneWithThePrefixCounts() {
    assertThat(SessionCookie.secret("artifact-server-session=s", true)).isEmpty();
    assertThat(SessionCookie.secret("__Host-artifact-server-session=s", true)).hasValue("s");
    assertThat(SessionCookie.secret("__Host-artifact-server-session=s", false)).isEmpty();
  }

  @Test
  void aProxySaysThatItEndsTls() {
    assertThat(SessionCookie.isSecure(false, "")).isFalse();
    assertThat(SessionCookie.isSecure(false, "HTTPS")).isTrue();
    assertThat(SessionCookie.isSecure(true, "http")).isTrue();
  }

  @Test
  void theSignInsCookieComesBackAsItWas() {
    SignInCookie cookie = new SignInCookie("state", "verifier", "/console/artifact?path=a%20b&c=~");
    String field = cookie.field(true);
    assertThat(field).contains("HttpOnly", "SameSite=Lax", "Secure", "Max-Age=600");
    String pair = field.substring(0, field.indexOf(';'));
    assertThat(SignInCookie.parse("x=y; " + pair, true)).hasValue(cookie);
    assertThat(SignInCookie.parse(pair, false)).isEmpty();
    assertThat(SignInCookie.parse("artifact-server-sign-in=a~b", false)).isEmpty();
    assertThat(SignInCookie.parse("artifact-server-sign-in=a~b~*", false)).isEmpty();
    assertThat(cookie.toString()).doesNotContain("verifier");
  }
}

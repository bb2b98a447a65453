package io.artifactserver.rest.access.session;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * Kept by a browser while its user is at the identity provider. The browser sends it back along
 * with the provider's redirect, so it cannot be as strict as the session's cookie. Immutable.
 *
 * @param state that the provider sends back
 * @param verifier which proves that this browser began (RFC 7636)
 * @param next page to go on with
 */
public record SignInCookie(String state, String verifier, String next) {
  private static final String NAME = "artifact-server-sign-in";
  private static final String SECURE_NAME = "__Host-" + NAME;
  private static final String ATTRIBUTES = "; Path=/; HttpOnly; SameSite=Lax";
  private static final String SEPARATOR = "~";
  private static final int PARTS = 3;

  /**
   * Reads the cookie.
   *
   * @param cookies the field of the request; empty if there is none
   */
  public static Optional<SignInCookie> parse(String cookies, boolean isSecure) {
    return SessionCookie.value(cookies, isSecure ? SECURE_NAME : NAME)
        .map(value -> value.split(SEPARATOR, -1))
        .filter(parts -> parts.length == PARTS)
        .flatMap(
            parts -> decoded(parts[2]).map(next -> new SignInCookie(parts[0], parts[1], next)));
  }

  /** The field Set-Cookie. */
  public String field(boolean isSecure) {
    String value =
        String.join(
            SEPARATOR,
            state,
            verifier,
            Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(next.getBytes(StandardCharsets.UTF_8)));
    return field(value, isSecure) + "; Max-Age=600";
  }

  /** The field Set-Cookie that takes it away. */
  public static String none(boolean isSecure) {
    return field("", isSecure) + "; Max-Age=0";
  }

  private static String field(String value, boolean isSecure) {
    return isSecure
        ? SECURE_NAME + '=' + value + ATTRIBUTES + "; Secure"
        : NAME + '=' + value + ATTRIBUTES;
  }

  private static Optional<String> decoded(String base64) {
    try {
      return Optional.of(new String(Base64.getUrlDecoder().decode(base64), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "SignInCookie[" + next + "]";
  }
}

package io.artifactserver.rest.access.session;

import java.util.Arrays;
import java.util.Optional;

/**
 * The cookie of a session: for this server only, out of reach of scripts, and not sent along with
 * what other sites ask for (RFC 6265bis, section 5.6). Pure functions.
 */
public final class SessionCookie {
  /** A proxy that ends TLS says with it how the browser came. */
  public static final String FORWARDED_FIELD = "X-Forwarded-Proto";

  private static final String NAME = "artifact-server-session";

  /** Browsers take it from this very host over TLS only, so a neighbour cannot set it. */
  private static final String SECURE_NAME = "__Host-" + NAME;

  private static final String ATTRIBUTES = "; Path=/; HttpOnly; SameSite=Strict";

  private SessionCookie() {}

  /**
   * Whether the browser came over TLS. Who lies about it harms their own cookie only.
   *
   * @param isTls whether this connection has it
   * @param forwarded the field of the request; empty if there is none
   */
  public static boolean isSecure(boolean isTls, String forwarded) {
    return isTls || forwarded.equalsIgnoreCase("https");
  }

  /**
   * Reads the secret of a session.
   *
   * @param cookies the field of the request; empty if there is none
   */
  public static Optional<String> secret(String cookies, boolean isSecure) {
    return value(cookies, isSecure ? SECURE_NAME : NAME);
  }

  static Optional<String> value(String cookies, String name) {
    String begin = name + '=';
    return Arrays.stream(cookies.split(";"))
        .map(String::strip)
        .filter(cookie -> cookie.startsWith(begin))
        .findFirst()
        .map(cookie -> cookie.substring(begin.length()));
  }

  /** The field Set-Cookie that gives a browser its secret, until the browser ends. */
  public static String of(String secret, boolean isSecure) {
    return isSecure
        ? SECURE_NAME + '=' + secret + ATTRIBUTES + "; Secure"
        : NAME + '=' + secret + ATTRIBUTES;
  }

  /** The field Set-Cookie that takes it away. */
  public static String none(boolean isSecure) {
    return of("", isSecure) + "; Max-Age=0";
  }
}

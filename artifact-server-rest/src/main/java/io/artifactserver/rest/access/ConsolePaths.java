package io.artifactserver.rest.access;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Addresses of the console, for those who stand in front of it. Pure functions. */
public final class ConsolePaths {
  /** All pages are below it. */
  public static final String ROOT = "/console/";

  /** Files that never change under their address, for everybody. */
  public static final String ASSETS = ROOT + "assets/";

  /** Server-sent events for an open page. */
  public static final String EVENTS = ROOT + "events";

  /** Where people sign in. */
  public static final String SIGN_IN = "/login";

  /** Where the browser leaves for the identity provider. */
  public static final String PROVIDER = SIGN_IN + "/provider";

  /** Where the identity provider sends the browser back to. */
  public static final String PROVIDER_END = SIGN_IN + "/end";

  /** A request with it is htmx's, which puts the answer into a page that is open. */
  public static final String SCRIPT_FIELD = "HX-Request";

  /** It makes htmx leave the page. */
  public static final String SCRIPT_LOCATION = "HX-Redirect";

  private ConsolePaths() {}

  /** Whether the path is one of the console that wants somebody who has signed in. */
  public static boolean isInside(String path) {
    return path.startsWith(ROOT);
  }

  /** Whether the path is a step of signing in. */
  static boolean isSignIn(String path) {
    return path.equals(SIGN_IN) || path.equals(PROVIDER) || path.equals(PROVIDER_END);
  }

  /**
   * Where a person who asks for a page, and has not signed in, is to go; empty if it is not a
   * person, or no page.
   *
   * @param query of the request; null if there is none
   */
  public static Optional<String> signInFor(String method, String path, @Nullable String query) {
    return isPage(path) && (method.equals("GET") || method.equals("HEAD"))
        ? Optional.of(
            SIGN_IN
                + "?next="
                + URLEncoder.encode(
                    query == null ? path : path + '?' + query, StandardCharsets.UTF_8))
        : Optional.empty();
  }

  private static boolean isPage(String path) {
    return isInside(path) && !path.startsWith(ASSETS) && !path.equals(EVENTS);
  }

  /** A page of the console to go on with; the first one if the text is not the address of one. */
  public static String next(@Nullable String text) {
    try {
      return text != null && isInside(text) && new URI(text).toASCIIString().equals(text)
          ? text
          : ROOT;
    } catch (URISyntaxException e) {
      return ROOT;
    }
  }
}

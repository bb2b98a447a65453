package io.artifactserver.rest.front;

import java.net.URI;
import java.util.Locale;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Request;

/** Tells requests of this server's own pages and of programs from those of other sites' pages. */
final class SameSite {
  private SameSite() {}

  /**
   * Whether a page of another site made a browser send what changes something. Browsers say so
   * themselves (Fetch Metadata, section 2); older ones name the site (RFC 6454, section 7).
   */
  static boolean isFromAnotherSite(Request request) {
    String method = request.getMethod();
    if (HttpMethods.isGetOrHead(request) || HttpMethod.OPTIONS.is(method)) {
      return false;
    }
    String site = request.getHeaders().get("Sec-Fetch-Site");
    if (site != null) {
      return !site.equals("same-origin") && !site.equals("none");
    }
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    return origin != null && !isOwn(origin, request);
  }

  private static boolean isOwn(String origin, Request request) {
    try {
      String authority = URI.create(origin).getRawAuthority();
      return authority != null
          && authority.toLowerCase(Locale.ROOT).equals(authority(request).toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** As the client wrote it. */
  private static String authority(Request request) {
    String host = request.getHeaders().get(HttpHeader.HOST);
    return host != null
        ? host
        : Objects.requireNonNullElse(request.getHttpURI().getAuthority(), "");
  }
}

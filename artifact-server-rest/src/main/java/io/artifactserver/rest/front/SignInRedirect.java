package io.artifactserver.rest.front;

import io.artifactserver.rest.access.ConsolePaths;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;

/** Shows people who ask for a page of the console where they sign in. */
final class SignInRedirect {
  private SignInRedirect() {}

  /** Returns false, and does nothing, if the request is not a person's for a page. */
  static boolean answer(Exchange exchange) {
    Request request = exchange.request();
    return ConsolePaths.signInFor(
            request.getMethod(),
            Objects.requireNonNullElse(request.getHttpURI().getPath(), ""),
            request.getHttpURI().getQuery())
        .map(address -> {
          UnwantedBody.discard(request);
          boolean isScript = request.getHeaders().contains(ConsolePaths.SCRIPT_FIELD);
          exchange
              .response()
              .setStatus(isScript ? HttpStatus.UNAUTHORIZED_401 : HttpStatus.SEE_OTHER_303);
          exchange
              .response()
              .getHeaders()
              .put(
                  isScript ? ConsolePaths.SCRIPT_LOCATION : HttpHeader.LOCATION.asString(), address)
              .put(HttpHeader.CACHE_CONTROL, "no-store");
          exchange.endWithoutBody();
          return true;
        })
        .orElse(false);
  }
}

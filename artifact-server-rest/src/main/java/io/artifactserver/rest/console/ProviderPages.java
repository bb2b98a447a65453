package io.artifactserver.rest.console;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import io.artifactserver.rest.access.ConsolePaths;
import io.artifactserver.rest.access.oidc.SignIn;
import io.artifactserver.rest.access.oidc.SignInRefusedException;
import io.artifactserver.rest.access.session.SessionCookie;
import io.artifactserver.rest.access.session.Sessions;
import io.artifactserver.rest.access.session.SignInCookie;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** People sign in with the identity provider. Thread-safe; waits for the provider. */
@Controller
@Hidden
public record ProviderPages(Templates templates, Sessions sessions, Optional<SignIn> provider) {
  /** In characters; a provider may put a whole token into its code. */
  private static final int MAX_LENGTH = 2048;

  /** Sends the browser to the provider. */
  @GetMapping(ConsolePaths.PROVIDER)
  ResponseEntity<byte[]> begin(
      @RequestParam(required = false) @Nullable String next, HttpServletRequest request) {
    SignIn.Offer offer = requiredProvider().start(address(request));
    SignInCookie cookie =
        new SignInCookie(offer.state(), offer.verifier(), ConsolePaths.next(next));
    return ResponseEntity.status(HttpStatus.SEE_OTHER)
        .location(offer.url())
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .header(HttpHeaders.SET_COOKIE, cookie.field(SignInPages.isSecure(request)))
        .build();
  }

  /**
   * Takes what the provider gave the browser. The answer is a page that goes on by itself: a
   * browser that comes from another site would not send the session's cookie along a redirect.
   */
  @GetMapping(ConsolePaths.PROVIDER_END)
  ResponseEntity<byte[]> end(
      @RequestParam(defaultValue = "") String code,
      @RequestParam(defaultValue = "") String state,
      @RequestParam(defaultValue = "") String error,
      HttpServletRequest request) {
    boolean isSecure = SignInPages.isSecure(request);
    SignInCookie begun =
        SignInCookie.parse(
                Objects.requireNonNullElse(request.getHeader(HttpHeaders.COOKIE), ""), isSecure)
            .filter(cookie -> cookie.state().equals(state))
            .orElseThrow(() ->
                refused("This browser did not begin to sign in here in the last ten minutes."));
    if (code.isEmpty() || code.length() > MAX_LENGTH) {
      throw refused("The identity provider refused: " + error + '.');
    }
    SignIn.End end;
    try {
      end = requiredProvider().end(code, state, begun.verifier(), address(request));
    } catch (SignInRefusedException e) {
      throw refused(e.getMessage() + '.');
    }
    Caller caller = end.caller();
    if (caller.scope().equals(Scope.NOTHING) || caller.role() == Role.DEVICE) {
      throw refused(
          "The provider knows you as \"%s\", and none of your groups may see anything here."
                  .formatted(caller.name())
              + " An operator adds a grant to artifact-server.oidc.grants.");
    }
    if (end.token().length() > Sessions.MAX_TOKEN_LENGTH) {
      throw refused(
          "The provider's token is longer than %d characters. Leave claims out of it."
              .formatted(Sessions.MAX_TOKEN_LENGTH));
    }
    ResponseEntity<byte[]> page =
        templates.page(
            HttpStatus.OK,
            "signed-in",
            "Signed in",
            Map.of("next", ConsolePaths.next(begun.next())));
    return ResponseEntity.ok()
        .headers(page.getHeaders())
        .header(
            HttpHeaders.SET_COOKIE,
            SessionCookie.of(sessions.begin(end.token(), caller.id()), isSecure),
            SignInCookie.none(isSecure))
        .body(page.getBody());
  }

  private SignIn requiredProvider() {
    return provider.orElseThrow(() ->
        new ProblemException(
            HttpStatus.NOT_FOUND,
            "No identity provider",
            "artifact-server.oidc.sign-in.client-id is not set. Sign in with a token."));
  }

  /** As the browser knows this server. */
  private static URI address(HttpServletRequest request) {
    return URI.create(SignInPages.server(request) + ConsolePaths.PROVIDER_END);
  }

  private static ProblemException refused(String detail) {
    return new ProblemException(HttpStatus.FORBIDDEN, "Not signed in", detail + " Sign in again.");
  }
}

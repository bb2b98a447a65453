package io.artifactserver.rest.console;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.BearerAuthenticationFilter;
import io.artifactserver.rest.access.ConsolePaths;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.oidc.SignIn;
import io.artifactserver.rest.access.session.SessionCookie;
import io.artifactserver.rest.access.session.Sessions;
import io.artifactserver.rest.api.audit.AuditDetails;
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
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** People sign in with a token, and sign out. Thread-safe. */
@Controller
@Hidden
public record SignInPages(
    Templates templates,
    Authenticator authenticator,
    Sessions sessions,
    Optional<SignIn> provider) {
  private static final String TITLE = "Sign in";

  /** The form. */
  @GetMapping(ConsolePaths.SIGN_IN)
  ResponseEntity<byte[]> form(@RequestParam(required = false) @Nullable String next) {
    return form(HttpStatus.OK, next, "");
  }

  /** Takes a token, and gives the browser a session for it. */
  @PostMapping(ConsolePaths.SIGN_IN)
  ResponseEntity<byte[]> signIn(
      @RequestParam(defaultValue = "") String token,
      @RequestParam(required = false) @Nullable String next,
      HttpServletRequest request) {
    String stripped = token.strip();
    if (stripped.isEmpty() || stripped.length() > Sessions.MAX_TOKEN_LENGTH) {
      return form(HttpStatus.BAD_REQUEST, next, "Enter a token of this server.");
    }
    Credentials credentials = Credentials.of("Bearer " + stripped);
    @Nullable Object client = request.getAttribute(BearerAuthenticationFilter.CLIENT);
    if (authenticator.sender(credentials, client).isThrottled()) {
      return tooMany(next);
    }
    return switch (authenticator.authenticate(credentials, client)) {
      case Authentication.Known(Caller caller) when caller.role() == Role.DEVICE ->
          form(
              HttpStatus.FORBIDDEN,
              next,
              "This token is a device's: it downloads, and shows nothing here. Sign in with one of"
                  + " the role reader, publisher or admin.");
      case Authentication.Known(Caller caller) ->
          ResponseEntity.status(HttpStatus.SEE_OTHER)
              .location(URI.create(ConsolePaths.next(next)))
              .header(HttpHeaders.CACHE_CONTROL, "no-store")
              .header(
                  HttpHeaders.SET_COOKIE,
                  SessionCookie.of(sessions.begin(stripped, caller.id()), isSecure(request)))
              .build();
      case Authentication.Throttled _ -> tooMany(next);
      case Authentication.Anonymous _, Authentication.Refused _, Authentication.Undecided _ ->
          form(
              HttpStatus.UNAUTHORIZED,
              next,
              "The server does not know this token. It may be revoked or expired; an admin makes"
                  + " another one.");
    };
  }

  /** Ends the session of the browser, for which the change token was checked already. */
  @PostMapping("/console/sign-out")
  ResponseEntity<byte[]> signOut(HttpServletRequest request) {
    AuditDetails.nothingChanged();
    boolean isSecure = isSecure(request);
    SessionCookie.secret(field(request, HttpHeaders.COOKIE), isSecure).ifPresent(sessions::end);
    return ResponseEntity.noContent()
        .header(HttpHeaders.SET_COOKIE, SessionCookie.none(isSecure))
        .header(ConsolePaths.SCRIPT_LOCATION, ConsolePaths.SIGN_IN)
        .build();
  }

  private ResponseEntity<byte[]> tooMany(@Nullable String next) {
    return form(
        HttpStatus.TOO_MANY_REQUESTS,
        next,
        "Too many wrong tokens came from your address. Wait a few seconds.");
  }

  private ResponseEntity<byte[]> form(HttpStatus status, @Nullable String next, String message) {
    return templates.page(
        status,
        "sign-in",
        TITLE,
        Map.of(
            "next",
            ConsolePaths.next(next),
            "message",
            message,
            "hasProvider",
            provider.isPresent()));
  }

  static boolean isSecure(HttpServletRequest request) {
    return SessionCookie.isSecure(
        request.isSecure(), field(request, SessionCookie.FORWARDED_FIELD));
  }

  /** The address of this server as the browser knows it, without a slash at its end. */
  static String server(HttpServletRequest request) {
    return (isSecure(request) ? "https://" : "http://") + field(request, HttpHeaders.HOST);
  }

  private static String field(HttpServletRequest request, String name) {
    return Objects.requireNonNullElse(request.getHeader(name), "");
  }
}

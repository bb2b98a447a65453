package io.artifactserver.rest.api.access;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Scope;
import io.artifactserver.rest.access.oidc.SignIn;
import io.artifactserver.rest.access.oidc.SignInRefusedException;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.security.SecurityRequirements;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * People sign in with the identity provider, and get its token. For everybody: who has no token yet
 * cannot show one. Thread-safe.
 */
@RestController
@RequestMapping("/api/v1/sign-in")
@Tag(name = "Sign-in")
public record SignInController(Optional<SignIn> signIn) {
  /** In characters; a provider may put a whole token into its code. */
  private static final int MAX_LENGTH = 2048;

  /** Says where a person signs in. */
  @GetMapping
  @SecurityRequirements
  @Operation(
      summary = "Begin to sign in",
      description =
          "Open \"url\". The provider sends the browser back to \"redirectUri\", which it must know,"
              + " with \"state\" and a \"code\". Keep \"verifier\" until then, for 10 minutes at most."
              + " 404 where artifact-server.oidc.sign-in.client-id is not set.")
  public ResponseEntity<SignIn.Offer> start(@RequestParam String redirectUri) {
    SignIn.Offer offer = provider().start(page(redirectUri));
    return ResponseEntity.ok().header(HttpHeaders.CACHE_CONTROL, "no-store").body(offer);
  }

  /** Makes a token of what the provider gave the browser. */
  @PostMapping
  @SecurityRequirements
  @Operation(
      summary = "Sign in",
      description =
          "\"token\" is the provider's, and good as Bearer until it expires. \"state\" and \"verifier\""
              + " are those of the beginning, and good once. The body of the request is not read.")
  public ResponseEntity<SignedIn> end(
      @RequestParam String code,
      @RequestParam String state,
      @RequestParam String verifier,
      @RequestParam String redirectUri) {
    SignIn.End end;
    try {
      end =
          provider()
              .end(
                  bounded("code", code),
                  bounded("state", state),
                  bounded("verifier", verifier),
                  page(redirectUri));
    } catch (SignInRefusedException e) {
      throw refused(HttpStatus.FORBIDDEN, e.getMessage() + ". Sign in again.");
    }
    Caller caller = end.caller();
    if (caller.scope().equals(Scope.NOTHING)) {
      throw refused(
          HttpStatus.FORBIDDEN,
          "The provider knows you as \"%s\", and none of your groups there has a grant here."
                  .formatted(caller.name())
              + " An operator adds one to artifact-server.oidc.grants.");
    }
    return ResponseEntity.ok()
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .body(
            new SignedIn(
                end.token(), caller.name(), caller.role().name().toLowerCase(Locale.ROOT)));
  }

  private SignIn provider() {
    return signIn.orElseThrow(() ->
        refused(
            HttpStatus.NOT_FOUND,
            "This server has no identity provider to sign in with:"
                + " artifact-server.oidc.sign-in.client-id is not set. Use a token."));
  }

  private static URI page(String redirectUri) {
    try {
      URI page = URI.create(bounded("redirectUri", redirectUri));
      if (page.getHost() != null
          && page.getRawFragment() == null
          && Set.of("http", "https").contains(page.getScheme())) {
        return page;
      }
    } catch (IllegalArgumentException e) {
      // As below.
    }
    throw refused(HttpStatus.BAD_REQUEST, "\"redirectUri\" is the address of a page.");
  }

  private static String bounded(String name, String text) {
    if (text.isEmpty() || text.length() > MAX_LENGTH) {
      throw refused(
          HttpStatus.BAD_REQUEST, "\"%s\" has 1 to %d characters.".formatted(name, MAX_LENGTH));
    }
    return text;
  }

  private static ProblemException refused(HttpStatus status, String detail) {
    return new ProblemException(status, "Not signed in", detail);
  }

  /**
   * A person who has signed in.
   *
   * @param token good as Bearer
   * @param name of the person
   * @param role here
   */
  public record SignedIn(String token, String name, String role) {
    /** Without the token. */
    @Override
    public String toString() {
      return "SignedIn[" + name + ", " + role + "]";
    }
  }
}

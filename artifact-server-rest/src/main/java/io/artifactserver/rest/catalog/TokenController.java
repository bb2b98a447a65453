package io.artifactserver.rest.catalog;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.CertificateGrant;
import io.artifactserver.core.access.TokenSecret;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tokens of devices and operators. Thread-safe. */
@RestController
@RequestMapping("/api/v1/tokens")
@Tag(name = "Tokens")
public class TokenController {
  private final AccessTokenStore tokens;
  private final ArtifactCatalog catalog;
  private final InstantSource clock;

  public TokenController(AccessTokenStore tokens, ArtifactCatalog catalog, InstantSource clock) {
    this.tokens = tokens;
    this.catalog = catalog;
    this.clock = clock;
  }

  /** Creates a token; the answer is the only place that ever shows its secret. */
  @PostMapping
  @Operation(
      summary = "Create a token",
      description =
          "\"role\" is \"device\" (download only; the default) or \"operator\". A device reads the"
              + " named repositories, or all of them if none is named. The token is shown once."
              + " With \"certificate\", it is not a token that is recognised but the client"
              + " certificate whose subject is the name; \"*\" is every other verified one.")
  public ResponseEntity<TokenView> create(@Valid @RequestBody NewToken request) {
    AccessToken.Role role = role(request);
    Set<String> repositories =
        request.repositories() == null ? Set.of() : Set.copyOf(request.repositories());
    for (String repository : repositories) {
      if (catalog.repository(repository).isEmpty()) {
        throw new ProblemException(Problems.repositoryNotFound(repository));
      }
    }
    String name = request.name() == null ? "" : request.name();
    if (Boolean.TRUE.equals(request.certificate())) {
      requireCertificates(request, role);
      AccessToken grant = new CertificateGrant(name).toAccessToken(repositories, clock.instant());
      return created(grant, "");
    }
    TokenSecret secret = secret(request, role);
    AccessToken token = secret.toAccessToken(name, role, repositories, clock.instant());
    return created(token, request.secret() == null ? secret.reveal() : "");
  }

  private ResponseEntity<TokenView> created(AccessToken token, String secret) {
    if (tokens.find(token.id()).isPresent()) {
      throw new ProblemException(
          Problems.of(
              HttpStatus.CONFLICT,
              "Token taken",
              "There is a token with this secret, or of this certificate, already."));
    }
    tokens.add(token);
    return ResponseEntity.status(HttpStatus.CREATED)
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .body(TokenView.of(token, secret));
  }

  /** All tokens, without their secrets. */
  @GetMapping
  @Operation(summary = "List the tokens")
  public TokenList list() {
    return new TokenList(
        tokens.list().stream()
            .sorted(Comparator.comparing(AccessToken::createdAt))
            .map(token -> TokenView.of(token, ""))
            .toList());
  }

  /** Revokes a token: 204. */
  @DeleteMapping("/{id}")
  @Operation(summary = "Revoke a token")
  public ResponseEntity<Void> revoke(@PathVariable String id) {
    if (!tokens.revoke(id)) {
      throw new ProblemException(
          Problems.of(
              HttpStatus.NOT_FOUND, "No such token", "GET /api/v1/tokens lists the tokens."));
    }
    return ResponseEntity.noContent().build();
  }

  private static void requireCertificates(NewToken request, AccessToken.Role role) {
    if (role != AccessToken.Role.DEVICE || request.secret() != null) {
      throw new ProblemException(
          Problems.of(
              HttpStatus.BAD_REQUEST,
              "Not for a certificate",
              "A client certificate is a device's, and has no \"secret\"."));
    }
  }

  private static TokenSecret secret(NewToken request, AccessToken.Role role) {
    String taken = request.secret();
    if (taken == null) {
      return TokenSecret.generate();
    }
    return Optional.of(taken)
        .filter(text -> role == AccessToken.Role.DEVICE)
        .flatMap(TokenSecret::foreign)
        .orElseThrow(() ->
            new ProblemException(
                Problems.of(
                    HttpStatus.BAD_REQUEST,
                    "Secret not taken",
                    "\"secret\" takes over a device's present token, of %d characters or more."
                        .formatted(TokenSecret.MIN_FOREIGN_LENGTH))));
  }

  private static AccessToken.Role role(NewToken request) {
    return switch (request.role() == null ? "device" : request.role()) {
      case "device" -> AccessToken.Role.DEVICE;
      case "operator" -> AccessToken.Role.OPERATOR;
      default ->
          throw new ProblemException(
              Problems.of(
                  HttpStatus.BAD_REQUEST,
                  "Unknown role",
                  "\"role\" is \"device\" or \"operator\"."));
    };
  }

  /**
   * What to create.
   *
   * @param name the operator's own words for it
   * @param role {@code device} or {@code operator}; device if absent
   * @param repositories a device may read; all if absent or empty
   * @param secret a token that a device has already, as hawkBit's gateway or target token; a new
   *     one is made if absent
   * @param certificate whether there is no token, but a client certificate with {@code name} as its
   *     subject
   */
  public record NewToken(
      @NotBlank @Size(max = 200) @Nullable String name,
      @Nullable String role,
      @Nullable List<String> repositories,
      @Nullable String secret,
      @Nullable Boolean certificate) {
    /** Without the secret. */
    @Override
    public String toString() {
      return "NewToken[" + name + ", " + role + "]";
    }
  }

  /**
   * A token.
   *
   * @param id by which it is revoked
   * @param name the operator's own words for it
   * @param role {@code device} or {@code operator}
   * @param repositories a device may read; empty for all
   * @param created when it was created
   * @param token what its bearer sends; only in the answer that creates it
   */
  public record TokenView(
      String id,
      String name,
      String role,
      List<String> repositories,
      Instant created,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) String token) {
    static TokenView of(AccessToken token, String secret) {
      return new TokenView(
          token.id(),
          token.name(),
          token.role().name().toLowerCase(Locale.ROOT),
          token.repositories().stream().sorted().toList(),
          token.createdAt(),
          secret);
    }

    /** Without the secret. */
    @Override
    public String toString() {
      return "TokenView[" + id + ", " + name + ", " + role + "]";
    }
  }

  /**
   * A list of tokens.
   *
   * @param tokens by creation
   */
  public record TokenList(List<TokenView> tokens) {}
}

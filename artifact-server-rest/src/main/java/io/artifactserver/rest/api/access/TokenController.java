package io.artifactserver.rest.api.access;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.AccessTokenStore.Position;
import io.artifactserver.core.access.CertificateGrant;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import io.artifactserver.core.access.TokenSecret;
import io.artifactserver.core.access.TokenWords;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.rest.access.link.Expiry;
import io.artifactserver.rest.api.access.TokenViews.NewToken;
import io.artifactserver.rest.api.access.TokenViews.Overlap;
import io.artifactserver.rest.api.access.TokenViews.TokenList;
import io.artifactserver.rest.api.access.TokenViews.TokenView;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Tokens of people, pipelines and devices. Thread-safe. */
@RestController
@RequestMapping(TokenController.PATH)
@Tag(name = "Tokens")
public record TokenController(
    AccessTokenStore tokens, ArtifactCatalog catalog, InstantSource clock) {
  static final String PATH = "/api/v1/tokens";

  /** So few have one page only. */
  private static final int MAX_LIMIT = 1000;

  /** Creates a token; the answer is the only place that ever shows its secret. */
  @PostMapping
  @Operation(
      summary = "Create a token",
      description =
          "\"role\" is \"device\" (download only; the default), \"reader\", \"publisher\" or"
              + " \"admin\". All but an admin may be limited to \"repositories\" and \"paths\"."
              + " \"expires\" is "
              + Expiry.FORMS
              + ". The token is shown once."
              + " With \"certificate\", it is not a token that is recognised but the client"
              + " certificate whose subject is the name; \"*\" is every other verified one.")
  public ResponseEntity<TokenView> create(@Valid @RequestBody NewToken request) {
    Role role = role(Objects.requireNonNullElse(request.role(), "device"));
    Scope scope = scope(request, role);
    Instant expires = expiry(request.expires());
    String name = Objects.requireNonNullElse(request.name(), "");
    TokenWords words =
        new TokenWords(
            name,
            Objects.requireNonNullElse(request.description(), ""),
            labels(Objects.requireNonNullElse(request.labels(), Map.of())));
    if (Boolean.TRUE.equals(request.certificate())) {
      requireCertificates(request, role);
      AccessToken grant = new CertificateGrant(name).toAccessToken(Set.of(), clock.instant());
      return created(grant.with(words, scope, expires), "");
    }
    TokenSecret secret = secret(request, role);
    AccessToken token =
        secret.toAccessToken(name, role, Set.of(), clock.instant()).with(words, scope, expires);
    return created(token, request.secret() == null ? secret.reveal() : "");
  }

  private ResponseEntity<TokenView> created(AccessToken token, String secret) {
    if (tokens.find(token.id()).isPresent()) {
      throw new ProblemException(
          HttpStatus.CONFLICT,
          "Token taken",
          "There is already a token with this secret, or for this certificate.");
    }
    tokens.add(token);
    return shown(token, secret);
  }

  private static ResponseEntity<TokenView> shown(AccessToken token, String secret) {
    AuditDetails.after(TokenView.of(token, null, ""));
    return ResponseEntity.status(HttpStatus.CREATED)
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .body(TokenView.of(token, null, secret));
  }

  /** A page of tokens by creation, without their secrets. */
  @GetMapping
  @Operation(
      summary = "List the tokens",
      description =
          "In the order of their creation. Follow \"next\" until there is none. \"lastUsed\" is"
              + " exact to a minute. Tokens that expired are listed, too.")
  public ResponseEntity<TokenList> list(
      @Parameter(description = "Every token comes behind it; \"next\" has its value")
          @RequestParam(defaultValue = "")
          String after,
      @Parameter(description = "Of the page's size, 1 to 1000") @RequestParam(defaultValue = "1000")
          int limit) {
    Optional<Position> position =
        after.isEmpty() ? Optional.of(Position.START) : TokenCursor.position(after);
    if (limit < 1 || limit > MAX_LIMIT || position.isEmpty()) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Page out of bounds",
          "\"limit\" is 1 to %d, and \"after\" is the one in \"next\".".formatted(MAX_LIMIT));
    }
    List<AccessToken> found = tokens.list(position.get(), limit + 1);
    List<AccessToken> page = found.subList(0, Math.min(limit, found.size()));
    String next = found.size() > limit ? nextLink(page.getLast(), limit) : "";
    Map<String, Instant> lastUses = tokens.lastUses(page.stream().map(AccessToken::id).toList());
    ResponseEntity.BodyBuilder response = ResponseEntity.ok();
    if (!next.isEmpty()) {
      response.header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\"");
    }
    return response.body(
        new TokenList(
            page.stream().map(token -> TokenView.of(token, lastUses.get(token.id()), "")).toList(),
            next));
  }

  private static String nextLink(AccessToken last, int limit) {
    return PATH
        + "?after="
        + URLEncoder.encode(TokenCursor.text(Position.of(last)), StandardCharsets.UTF_8)
        + "&limit="
        + limit;
  }

  /** Replaces a token by a new one; both are good for a while: 201. */
  @PostMapping("/{id}/rotate")
  @Operation(
      summary = "Rotate a token",
      description =
          "The answer is a new token with the same name, role, scope and expiry. The old one stays"
              + " good for \"overlap\", such as 24h; an hour if absent.")
  public ResponseEntity<TokenView> rotate(
      @PathVariable String id, @Valid @RequestBody(required = false) @Nullable Overlap request) {
    AccessToken old = tokens.find(id).orElseThrow(() -> notFound(id));
    if (old.id().startsWith(CertificateGrant.PREFIX)) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Not for a certificate",
          "A client certificate has no token; its authority issues a new one.");
    }
    String overlap = request == null ? null : request.overlap();
    Instant until = expiry(Objects.requireNonNullElse(overlap, "1h"));
    TokenSecret secret = TokenSecret.generate();
    AccessToken replacement =
        secret
            .toAccessToken(old.name(), old.role(), Set.of(), clock.instant())
            .with(old.words(), old.scope(), old.expiresAt());
    AuditDetails.before(TokenView.of(old, null, ""));
    if (!tokens.replace(id, replacement, until)) {
      throw notFound(id);
    }
    return shown(replacement, secret.reveal());
  }

  /** Gives a token other labels: 200. */
  @PutMapping("/{id}/labels")
  @Operation(
      summary = "Label a token",
      description =
          "Keys with values, such as {\"ring\": \"canary\"}, in place of those that it has. A stage"
              + " can be for the devices whose tokens have some of them. {} takes them all away.")
  public TokenView label(
      @PathVariable String id, @RequestBody Map<String, @Nullable String> request) {
    Labels labels = labels(request);
    AccessToken before = tokens.find(id).orElseThrow(() -> notFound(id));
    AuditDetails.before(TokenView.of(before, null, ""));
    if (!tokens.label(id, labels)) {
      throw notFound(id);
    }
    TokenView after = TokenView.of(before.with(labels), null, "");
    AuditDetails.after(after);
    return after;
  }

  private static Labels labels(Map<String, @Nullable String> request) {
    try {
      return Labels.of(request);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(HttpStatus.BAD_REQUEST, "Invalid labels", e.getMessage() + ".");
    }
  }

  /** Revokes a token: 204. */
  @DeleteMapping("/{id}")
  @Operation(summary = "Revoke a token")
  public ResponseEntity<Void> revoke(@PathVariable String id) {
    tokens.find(id).ifPresent(token -> AuditDetails.before(TokenView.of(token, null, "")));
    if (!tokens.revoke(id)) {
      throw notFound(id);
    }
    return ResponseEntity.noContent().build();
  }

  private static ProblemException notFound(String id) {
    return new ProblemException(
        HttpStatus.NOT_FOUND,
        "No such token",
        "There is no token with the id \"%s\". GET /api/v1/tokens lists them.".formatted(id));
  }

  private Scope scope(NewToken request, Role role) {
    Scope scope;
    try {
      scope = new Scope(names(request.repositories()), names(request.paths()));
    } catch (IllegalArgumentException e) {
      throw new ProblemException(HttpStatus.BAD_REQUEST, "Invalid scope", e.getMessage() + ".");
    }
    if (role == Role.ADMIN && !scope.equals(Scope.ALL)) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Invalid scope",
          "An admin may do everything everywhere; choose another role, or leave \"repositories\""
              + " and \"paths\" out.");
    }
    for (String repository : scope.repositories()) {
      if (catalog.repository(repository).isEmpty()) {
        throw new ProblemException(Problems.repositoryNotFound(repository));
      }
    }
    return scope;
  }

  private static Set<String> names(@Nullable List<String> names) {
    return names == null ? Set.of() : Set.copyOf(names);
  }

  private Instant expiry(@Nullable String text) {
    if (text == null) {
      return AccessToken.NEVER;
    }
    Instant now = clock.instant();
    try {
      Instant expiry = Expiry.end(text, now);
      if (expiry.isBefore(now.minusSeconds(1))) {
        throw new ProblemException(
            HttpStatus.BAD_REQUEST, "Invalid expiry", "The time is in the past.");
      }
      return expiry;
    } catch (IllegalArgumentException e) {
      throw new ProblemException(HttpStatus.BAD_REQUEST, "Invalid expiry", e.getMessage() + ".");
    }
  }

  private static void requireCertificates(NewToken request, Role role) {
    if (role != Role.DEVICE || request.secret() != null) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Not for a certificate",
          "A client certificate is for the role \"device\", and takes no \"secret\".");
    }
  }

  private static TokenSecret secret(NewToken request, Role role) {
    String taken = request.secret();
    if (taken == null) {
      return TokenSecret.generate();
    }
    return Optional.of(taken)
        .filter(text -> role == Role.DEVICE)
        .flatMap(TokenSecret::foreign)
        .orElseThrow(() ->
            new ProblemException(
                HttpStatus.BAD_REQUEST,
                "Invalid secret",
                "\"secret\" is the token that a device has already. It has the role \"device\" and at least %d characters."
                    .formatted(TokenSecret.MIN_FOREIGN_LENGTH)));
  }

  private static Role role(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "device" -> Role.DEVICE;
      case "reader" -> Role.READER;
      case "publisher" -> Role.PUBLISHER;
      // Its name before there were others.
      case "admin", "operator" -> Role.ADMIN;
      default ->
          throw new ProblemException(
              HttpStatus.BAD_REQUEST,
              "Unknown role",
              "\"role\" is \"device\", \"reader\", \"publisher\" or \"admin\".");
    };
  }
}

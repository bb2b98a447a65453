package io.artifactserver.rest.console;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.AccessTokenStore.Position;
import io.artifactserver.core.access.CertificateGrant;
import io.artifactserver.core.access.Scope;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Hidden;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Tokens, and what each is for. Thread-safe. */
@Controller
@Hidden
public record TokenPages(Templates templates, AccessTokenStore tokens, InstantSource clock) {
  private static final int PAGE = 100;

  /** A page of tokens, by creation. */
  @GetMapping("/console/tokens")
  ResponseEntity<byte[]> list(
      @RequestParam(defaultValue = "") String since, @RequestParam(defaultValue = "") String id) {
    List<AccessToken> found = tokens.list(position(since, id), PAGE + 1);
    List<AccessToken> shown = found.subList(0, Math.min(PAGE, found.size()));
    Map<String, Instant> lastUses = tokens.lastUses(shown.stream().map(AccessToken::id).toList());
    Instant now = clock.instant();
    String next =
        found.size() > PAGE
            ? "/console/tokens?since=%s&id=%s"
                .formatted(
                    Format.query(shown.getLast().createdAt().toString()),
                    Format.query(shown.getLast().id()))
            : "";
    return templates.page(
        HttpStatus.OK,
        "tokens",
        "Tokens",
        Map.of(
            "tokens",
            shown.stream()
                .map(token -> new Line(token, Optional.ofNullable(lastUses.get(token.id())), now))
                .toList(),
            "next",
            next));
  }

  private static Position position(String since, String id) {
    try {
      return since.isEmpty() ? Position.START : new Position(Instant.parse(since), id);
    } catch (DateTimeException e) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST, "No such page", "\"since\" is the time of a token.");
    }
  }

  /**
   * A token as the page shows it.
   *
   * @param lastUse to the minute; empty if it was never used
   * @param now the time of the page
   */
  public record Line(AccessToken token, Optional<Instant> lastUse, Instant now) {
    public String role() {
      return token.role().name().toLowerCase(Locale.ROOT);
    }

    /** Where it may do what its role may, in words. */
    public String scope() {
      Scope scope = token.scope();
      if (scope.equals(Scope.ALL)) {
        return "everywhere";
      }
      return (scope.repositories().isEmpty()
              ? "all repositories"
              : scope.repositories().stream().sorted().collect(Collectors.joining(", ")))
          + (scope.paths().isEmpty()
              ? ""
              : ": " + scope.paths().stream().sorted().collect(Collectors.joining(", ")));
    }

    /** {@code ring=canary, site=lab}. */
    public String labels() {
      return String.join(", ", token.words().labels().texts());
    }

    /** The same as the form has them. */
    public String labelLines() {
      return String.join("\n", token.words().labels().texts());
    }

    public boolean expires() {
      return !token.expiresAt().equals(AccessToken.NEVER);
    }

    public boolean isExpired() {
      return token.isExpired(now);
    }

    /** Whether it is a certificate's, which has no secret to exchange. */
    public boolean isCertificate() {
      return token.id().startsWith(CertificateGrant.PREFIX);
    }
  }
}

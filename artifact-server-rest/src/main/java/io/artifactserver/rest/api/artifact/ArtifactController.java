package io.artifactserver.rest.api.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Removal;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedRegister;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.retire.ArtifactRetirement;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Artifacts, without their bytes. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}/artifacts")
@Tag(name = "Artifacts")
public record ArtifactController(
    ArtifactCatalog catalog,
    BlobRegister register,
    ArtifactRetirement retirement,
    DerivationRules rules,
    DerivedRegister derived,
    InstantSource clock) {
  static final int MAX_LIMIT = 1000;

  /** A page of artifacts, by path. */
  @GetMapping
  @Operation(
      summary = "List artifacts",
      description =
          "In the order of their paths. Follow \"next\" until there is none. A token that is"
              + " limited to paths sees those only.")
  public ResponseEntity<ArtifactList> list(
      @PathVariable String repository,
      @Parameter(description = "Every path begins with it") @RequestParam(defaultValue = "")
          String prefix,
      @Parameter(description = "Every path comes behind it") @RequestParam(defaultValue = "")
          String after,
      @Parameter(description = "Of the page's size, 1 to 1000") @RequestParam(defaultValue = "100")
          int limit,
      @Parameter(description = "Only artifacts that are held") @RequestParam(defaultValue = "false")
          boolean held) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Limit out of bounds",
          "\"limit\" is 1 to %d.".formatted(MAX_LIMIT));
    }
    if (catalog.repository(Repository.requireName(repository)).isEmpty()) {
      throw new ProblemException(Problems.repositoryNotFound(repository));
    }
    // Nothing outside the scope is read, so neither "next" nor a page's length tells of it.
    List<PathRange> ranges = CurrentCaller.get().ranges(prefix);
    List<Artifact> found =
        held
            ? catalog.listHeld(repository, ranges, after, limit + 1)
            : catalog.list(repository, ranges, after, limit + 1);
    List<Artifact> page = found.subList(0, Math.min(limit, found.size()));
    String next =
        found.size() > limit
            ? nextLink(repository, prefix, page.getLast().path(), limit, held)
            : "";
    Set<String> suspects = suspects(page);
    List<ArtifactView> views =
        page.stream().map(artifact -> ArtifactView.of(artifact, suspects, List.of())).toList();
    ResponseEntity.BodyBuilder response = ResponseEntity.ok();
    if (!next.isEmpty()) {
      response.header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\"");
    }
    return response.body(new ArtifactList(views, next));
  }

  /** Describes an artifact. */
  @GetMapping("/{*path}")
  @Operation(
      summary = "Describe an artifact",
      description =
          "410 if it was deleted in the last year, 404 if it never existed. A Link field has the"
              + " address of the documents about it.")
  @NamesAnArtifact
  public ResponseEntity<ArtifactView> get(@Parameter(hidden = true) ArtifactId id) {
    ArtifactView view = view(id);
    // Whether there are any, nobody asks the database for it here.
    return ResponseEntity.ok()
        .header(
            HttpHeaders.LINK,
            "<%s/attachments>; rel=\"describedby\"".formatted(view.links().self()))
        .body(view);
  }

  /** The view of an artifact, with its forms. Asks the database. */
  public ArtifactView view(ArtifactId id) {
    Artifact artifact = catalog.find(id).orElseThrow(() -> notFound(id));
    return ArtifactView.of(artifact, suspects(List.of(artifact)), forms(artifact));
  }

  /** Deletes an artifact: 204. */
  @DeleteMapping("/{*path}")
  @Operation(
      summary = "Delete an artifact",
      description =
          "It is gone at once; downloads that run may finish. Its path answers 410 for a year, then"
              + " 404. Unless the repository is mutable, the path takes the same bytes again and no"
              + " others, for ever. 409 while a hold keeps it, or a channel points to its release.")
  @NamesAnArtifact
  public ResponseEntity<Void> delete(@Parameter(hidden = true) ArtifactId id)
      throws ReleaseException.Released {
    catalog.find(id).ifPresent(artifact -> AuditDetails.before(ArtifactView.of(artifact)));
    return switch (retirement.retire(id)) {
      case Removal.Removed _ -> ResponseEntity.noContent().build();
      case Removal.Absent _ -> throw notFound(id);
      case Removal.Held(Hold hold) -> throw new ProblemException(Problems.held(id, hold));
    };
  }

  private Set<String> suspects(List<Artifact> artifacts) {
    return register.suspects(artifacts.stream().map(artifact -> artifact.blob().key()).toList());
  }

  private List<ArtifactView.FormView> forms(Artifact artifact) {
    if (!rules.suits(artifact.id(), artifact.length())) {
      return List.of();
    }
    List<Derived> known = derived.of(artifact.blob());
    return rules.forms().stream()
        .map(form ->
            known.stream()
                .filter(each -> each.form().equals(form.name()))
                .findFirst()
                .map(ArtifactView.FormView::of)
                .orElseGet(() -> ArtifactView.FormView.waiting(form)))
        .toList();
  }

  private ProblemException notFound(ArtifactId id) {
    if (catalog.repository(id.repository()).isEmpty()) {
      return new ProblemException(Problems.repositoryNotFound(id.repository()));
    }
    return new ProblemException(
        catalog
            .usedPath(id)
            .filter(used -> used.isGone(clock.instant()))
            .map(Problems::gone)
            .orElseGet(() -> Problems.artifactNotFound(id)));
  }

  private static String nextLink(
      String repository, String prefix, String after, int limit, boolean held) {
    return RepositoryView.PATH
        + repository
        + "/artifacts?prefix="
        + URLEncoder.encode(prefix, StandardCharsets.UTF_8)
        + "&after="
        + URLEncoder.encode(after, StandardCharsets.UTF_8)
        + "&limit="
        + limit
        + (held ? "&held=true" : "");
  }

  /**
   * A page.
   *
   * @param artifacts by path
   * @param next path of the next page; absent on the last
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record ArtifactList(
      @JsonInclude(JsonInclude.Include.ALWAYS) List<ArtifactView> artifacts, String next) {}
}

package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.derive.ArtifactDelta;
import io.artifactserver.core.derive.ArtifactDerivation;
import io.artifactserver.core.derive.DerivationRequests;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.FormPaths;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows and drops the update forms of artifacts. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}")
@Tag(name = "Update forms")
public record FormController(
    ArtifactCatalog catalog,
    DerivationRules rules,
    ArtifactDelta delta,
    ArtifactDerivation derivation,
    DerivationRequests requests) {
  private static final String DELTA = "/delta";
  private static final int PAGE = 1000;

  /** Which artifacts have forms. */
  @GetMapping("/forms")
  @Operation(summary = "Show which artifacts of a repository have update forms")
  public Paths paths(@PathVariable String repository) {
    requireRepository(repository);
    return Paths.of(rules.paths(repository));
  }

  /** Says which artifacts have forms: 200. */
  @PutMapping("/forms")
  @Operation(
      summary = "Say which artifacts of a repository have update forms",
      description =
          "By patterns of paths, in which * is any characters: [\"*\"] is all of them, [] none."
              + " Forms that are no longer wanted are not served; DELETE frees their space.")
  public Paths put(@PathVariable String repository, @Valid @RequestBody Paths paths) {
    requireRepository(repository);
    Paths before = Paths.of(rules.paths(repository));
    try {
      if (!rules.put(repository, new FormPaths(Objects.requireNonNull(paths.paths())))) {
        throw new ProblemException(Problems.repositoryNotFound(repository));
      }
    } catch (IllegalArgumentException e) {
      throw new ProblemException(HttpStatus.BAD_REQUEST, "Invalid body", e.getMessage() + ".");
    }
    requests.deriveSoon();
    AuditDetails.before(before);
    AuditDetails.after(paths);
    return paths;
  }

  /** Drops forms, so that those that are wanted are computed again: 202. */
  @DeleteMapping("/forms")
  @Operation(
      summary = "Compute update forms again",
      description =
          "Deletes the forms of all artifacts whose paths begin with the prefix. Those that are"
              + " wanted are computed again in the background; the others stay deleted.")
  public ResponseEntity<Dropped> drop(
      @PathVariable String repository, @RequestParam(defaultValue = "") String prefix)
      throws StorageException {
    requireRepository(repository);
    Set<BlobRef> dropped = new HashSet<>();
    int artifacts = 0;
    String after = "";
    List<Artifact> page;
    do {
      page = catalog.list(repository, prefix, after, PAGE);
      for (Artifact artifact : page) {
        if (dropped.add(artifact.blob())) {
          derivation.rebuild(artifact.blob());
        }
        artifacts++;
        after = artifact.path();
      }
    } while (page.size() == PAGE);
    requests.deriveSoon();
    return ResponseEntity.accepted().body(new Dropped(artifacts));
  }

  /** The cost of an update. */
  @GetMapping(path = "/artifacts/{*path}", params = "from")
  @Operation(
      summary = "Show what an update from an earlier artifact costs",
      description =
          "The path ends in /delta. Counts the chunks that both have, and what casync and desync"
              + " fetch of the others.")
  @NamesAnArtifact
  public Delta delta(
      @Parameter(hidden = true) ArtifactId path,
      @Parameter(description = "Path of the earlier artifact in the same repository") @RequestParam
          String from)
      throws StorageException {
    if (!path.path().endsWith(DELTA) || path.path().length() == DELTA.length()) {
      throw notFound(path);
    }
    String newPath = path.path().substring(0, path.path().length() - DELTA.length());
    Artifact newer = artifact(new ArtifactId(path.repository(), newPath));
    Artifact older = artifact(new ArtifactId(path.repository(), from));
    return delta
        .between(older, newer)
        .map(found -> Delta.of(older, newer, found))
        .orElseThrow(() ->
            isSuited(older) && isSuited(newer)
                ? ProblemException.passing(Problems.notReady())
                : new ProblemException(
                    HttpStatus.NOT_FOUND,
                    "No chunks",
                    "One of the two artifacts has no index of chunks: it is too small or too large, it"
                        + " is one compressed stream, or its repository's rules leave it out."));
  }

  private boolean isSuited(Artifact artifact) {
    return rules.suits(artifact.id(), artifact.length());
  }

  private Artifact artifact(ArtifactId id) {
    // In this order, so that no time tells whether something is outside the scope.
    return Optional.of(id)
        .filter(CurrentCaller.get()::mayRead)
        .flatMap(catalog::find)
        .orElseThrow(() -> notFound(id));
  }

  private static ProblemException notFound(ArtifactId id) {
    return new ProblemException(Problems.artifactNotFound(id));
  }

  private void requireRepository(String repository) {
    if (catalog.repository(Repository.requireName(repository)).isEmpty()) {
      throw new ProblemException(Problems.repositoryNotFound(repository));
    }
  }

  /**
   * Which artifacts have forms.
   *
   * @param paths patterns, in which {@code *} is any characters
   */
  public record Paths(
      @NotNull(message = "is a list of patterns of paths, which may be empty") List<String> paths) {
    static Paths of(FormPaths paths) {
      return new Paths(paths.patterns());
    }
  }

  /**
   * The artifacts whose forms were dropped.
   *
   * @param artifacts how many
   */
  public record Dropped(int artifacts) {}

  /**
   * The cost of an update.
   *
   * @param from path of the earlier artifact
   * @param to path of the newer artifact
   * @param length of the newer artifact, in bytes
   * @param chunks of the newer artifact
   * @param sharedBytes of the newer artifact that are in chunks which the earlier one has too
   * @param fetchedChunks distinct chunks that the earlier one lacks
   * @param transferBytes of those chunks as casync and desync fetch them, and of the index
   * @param savedBytes of the newer artifact's length
   */
  public record Delta(
      String from,
      String to,
      long length,
      int chunks,
      long sharedBytes,
      int fetchedChunks,
      long transferBytes,
      long savedBytes) {
    static Delta of(Artifact from, Artifact to, ArtifactDelta.Delta delta) {
      return new Delta(
          from.path(),
          to.path(),
          delta.length(),
          delta.chunks(),
          delta.sharedBytes(),
          delta.fetchedChunks(),
          delta.transferBytes(),
          Math.max(0, delta.length() - delta.transferBytes()));
    }
  }
}

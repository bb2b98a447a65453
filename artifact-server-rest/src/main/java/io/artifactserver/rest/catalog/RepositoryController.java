package io.artifactserver.rest.catalog;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Repositories. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories")
@Tag(name = "Repositories")
public class RepositoryController {
  private final ArtifactCatalog catalog;

  public RepositoryController(ArtifactCatalog catalog) {
    this.catalog = catalog;
  }

  /** Creates a repository: 201, or 409 if the name is taken. */
  @PostMapping
  @Operation(summary = "Create a repository")
  public ResponseEntity<RepositoryView> create(@Valid @RequestBody NewRepository request) {
    String name = Repository.requireName(request.requiredName());
    if (Boolean.TRUE.equals(request.encrypted())) {
      // Silently storing plain bytes is the one failure this must not have.
      throw new ProblemException(
          Problems.of(
              HttpStatus.UNPROCESSABLE_CONTENT,
              "Encryption not available",
              "This server stores plain bytes only; create the repository with \"encrypted\":"
                  + " false, or not at all."));
    }
    RepositoryView view =
        catalog
            .createRepository(name, Boolean.TRUE.equals(request.isPublic()), false)
            .map(RepositoryView::of)
            .orElseThrow(() ->
                new ProblemException(
                    Problems.of(
                        HttpStatus.CONFLICT,
                        "Name taken",
                        "There is a repository \"%s\" already.".formatted(name))));
    return ResponseEntity.created(URI.create(view.links().self())).body(view);
  }

  /** All repositories, by name. */
  @GetMapping
  @Operation(summary = "List the repositories")
  public RepositoryList list() {
    return new RepositoryList(catalog.repositories().stream().map(RepositoryView::of).toList());
  }

  /** One repository. */
  @GetMapping("/{repository}")
  @Operation(summary = "Describe a repository")
  public RepositoryView get(@PathVariable String repository) {
    return catalog
        .repository(Repository.requireName(repository))
        .map(RepositoryView::of)
        .orElseThrow(() -> new ProblemException(Problems.repositoryNotFound(repository)));
  }

  /**
   * What to create.
   *
   * @param name of the repository
   * @param isPublic whether devices download without a token; false if absent
   * @param encrypted whether blobs are encrypted at rest; false if absent
   */
  public record NewRepository(
      @NotBlank @Nullable String name,
      @JsonProperty("public") @Nullable Boolean isPublic,
      @Nullable Boolean encrypted) {
    String requiredName() {
      return name == null ? "" : name;
    }
  }

  /**
   * A list of repositories.
   *
   * @param repositories by name
   */
  public record RepositoryList(List<RepositoryView> repositories) {}
}

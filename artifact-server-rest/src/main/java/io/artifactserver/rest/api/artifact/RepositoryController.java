package io.artifactserver.rest.api.artifact;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.EncryptionProgress;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.RepositoryChange;
import io.artifactserver.core.upload.UnfinishedUploads;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Repositories. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories")
@Tag(name = "Repositories")
public record RepositoryController(
    ArtifactCatalog catalog,
    BlobStores stores,
    EncryptionDefaults defaults,
    EncryptionRequests requests,
    UnfinishedUploads uploads) {
  /** {@link PathPolicy#LONGEST_AGE} in seconds. */
  private static final int MAX_AGE = 31_536_000;

  private static final String AGE_RULE = "is 0 to 31536000 seconds";

  /** Creates a repository: 201, or 409 if the name is taken. */
  @PostMapping
  @Operation(
      summary = "Create a repository",
      description =
          "Its paths never change: a path whose artifact was deleted takes only the same bytes"
              + " again, unless \"mutable\" is true. \"maxAge\" says for how many seconds caches"
              + " may answer for a path without asking.")
  public ResponseEntity<RepositoryView> create(@Valid @RequestBody NewRepository request) {
    String name = Repository.requireName(Objects.requireNonNull(request.name()));
    boolean encrypted =
        Objects.requireNonNullElse(request.encrypted(), defaults.defaultForNewRepositories());
    if (encrypted && !stores.canEncrypt()) {
      // Silently storing plain bytes is the one failure this must not have.
      throw new ProblemException(
          HttpStatus.UNPROCESSABLE_CONTENT,
          "Encryption not available",
          "This server has no key ring, so it cannot encrypt. Create the repository with"
              + " \"encrypted\": false.");
    }
    RepositoryView view =
        catalog
            .createRepository(
                name, Boolean.TRUE.equals(request.isPublic()), encrypted, request.paths())
            .map(RepositoryView::of)
            .orElseThrow(() ->
                new ProblemException(
                    HttpStatus.CONFLICT,
                    "Name taken",
                    "There is a repository \"%s\" already.".formatted(name)));
    AuditDetails.after(view);
    return ResponseEntity.created(URI.create(view.links().self())).body(view);
  }

  /** All repositories that the caller may know of, by name. */
  @GetMapping
  @Operation(summary = "List the repositories")
  public RepositoryList list() {
    Caller caller = CurrentCaller.get();
    return new RepositoryList(
        catalog.repositories().stream()
            .filter(repository -> caller.mayReadSomeOf(repository.name()))
            .map(RepositoryView::of)
            .toList());
  }

  /** One repository. */
  @GetMapping("/{repository}")
  @Operation(summary = "Describe a repository")
  public RepositoryView get(@PathVariable String repository) {
    return RepositoryView.of(required(repository));
  }

  /** Changes a repository: 200. */
  @PatchMapping("/{repository}")
  @Operation(
      summary = "Change a repository",
      description =
          "\"redirect\": true sends devices to the storage backend with a 302, where the backend"
              + " can serve clients and the bytes are not encrypted. Everything else is served as"
              + " before. \"mutable\": true lets paths take other bytes after a deletion; caches"
              + " that were given a path before may answer from memory for \"maxAge\" seconds"
              + " more. \"mutable\": false binds each path to the bytes that it has or had last.")
  public RepositoryView change(
      @PathVariable String repository, @Valid @RequestBody ChangedRepository request) {
    Repository before = required(repository);
    AuditDetails.before(RepositoryView.of(before));
    RepositoryChange change = request.change();
    Repository after =
        change.isNone()
            ? before
            : catalog.changeRepository(repository, change).orElseThrow(() -> notFound(repository));
    RepositoryView view = RepositoryView.of(after);
    AuditDetails.after(view);
    return view;
  }

  /** Makes a repository encrypt, what it has included: 202. */
  @PostMapping("/{repository}/encryption")
  @Operation(
      summary = "Encrypt a repository",
      description =
          "New artifacts are encrypted from now on, and what is there is encrypted in the"
              + " background; downloads go on. Unfinished uploads that are not encrypted end, and"
              + " begin again. There is no way back.")
  public ResponseEntity<EncryptionView> encrypt(@PathVariable String repository) {
    if (!stores.canEncrypt()) {
      throw new ProblemException(
          HttpStatus.UNPROCESSABLE_CONTENT,
          "Encryption not available",
          "This server has no key ring, so it cannot encrypt.");
    }
    if (catalog.encryptRepository(Repository.requireName(repository)).isEmpty()) {
      throw notFound(repository);
    }
    uploads.endPlainOf(repository);
    requests.encryptSoon();
    return ResponseEntity.accepted().body(encryption(repository));
  }

  /** How far the encryption of a repository is. */
  @GetMapping("/{repository}/encryption")
  @Operation(summary = "Follow the encryption of a repository")
  public EncryptionView encryption(@PathVariable String repository) {
    Repository found = required(repository);
    EncryptionProgress progress = catalog.encryptionProgress(repository);
    return new EncryptionView(
        found.encrypted(),
        progress.encrypted(),
        progress.total(),
        found.encrypted() && progress.encrypted() == progress.total());
  }

  private Repository required(String name) {
    return catalog.repository(Repository.requireName(name)).orElseThrow(() -> notFound(name));
  }

  private static ProblemException notFound(String repository) {
    return new ProblemException(Problems.repositoryNotFound(repository));
  }

  /**
   * How far the encryption of a repository is.
   *
   * @param encrypted whether new artifacts are encrypted
   * @param done artifacts whose stored bytes are encrypted
   * @param total artifacts
   * @param complete whether no artifact is left as plain bytes
   */
  public record EncryptionView(boolean encrypted, long done, long total, boolean complete) {}

  /**
   * A repository to create.
   *
   * @param name of the repository
   * @param isPublic whether devices download without a token; false if absent
   * @param encrypted whether blobs are encrypted at rest; as the server is set if absent
   * @param mutable whether a path takes other bytes after its artifact was deleted; false if absent
   * @param maxAge how long caches may answer for a path without asking, in seconds; 300 if absent
   */
  public record NewRepository(
      @NotBlank @Nullable String name,
      @JsonProperty("public") @Nullable Boolean isPublic,
      @Nullable Boolean encrypted,
      @Nullable Boolean mutable,
      @Min(value = 0, message = AGE_RULE) @Max(value = MAX_AGE, message = AGE_RULE)
          @Nullable Integer maxAge) {
    PathPolicy paths() {
      return new PathPolicy(
          Boolean.TRUE.equals(mutable),
          maxAge == null ? PathPolicy.DEFAULT.maxAge() : Duration.ofSeconds(maxAge));
    }
  }

  /**
   * A change of a repository. Absent fields stay as they are.
   *
   * @param redirect whether devices are sent to the backend for plain bytes
   * @param mutable whether a path takes other bytes after its artifact was deleted
   * @param maxAge how long caches may answer for a path without asking, in seconds
   */
  public record ChangedRepository(
      @Nullable Boolean redirect,
      @Nullable Boolean mutable,
      @Min(value = 0, message = AGE_RULE) @Max(value = MAX_AGE, message = AGE_RULE)
          @Nullable Integer maxAge) {
    RepositoryChange change() {
      return new RepositoryChange(
          redirect, mutable, maxAge == null ? null : Duration.ofSeconds(maxAge));
    }
  }

  /**
   * A list of repositories.
   *
   * @param repositories by name
   */
  public record RepositoryList(List<RepositoryView> repositories) {}
}

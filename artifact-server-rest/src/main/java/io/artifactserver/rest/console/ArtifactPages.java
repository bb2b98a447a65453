package io.artifactserver.rest.console;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.derive.ArtifactDelta;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.artifact.ArtifactController;
import io.artifactserver.rest.api.artifact.ArtifactView;
import io.artifactserver.rest.api.attachment.AttachmentController;
import io.artifactserver.rest.api.release.ChannelController;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Repositories and artifacts, as far as the visitor's scope goes. Thread-safe. */
@Controller
@RequestMapping("/console")
@Hidden
public record ArtifactPages(
    Templates templates,
    VisibleRepositories visible,
    ArtifactController artifacts,
    AttachmentController attachments,
    ChannelController channels,
    ArtifactDelta delta,
    ArtifactHistory history) {
  private static final Logger LOG = LoggerFactory.getLogger(ArtifactPages.class);

  private static final String TITLE = "Repositories";
  private static final int PAGE = 100;

  /** There is no such page. */
  @GetMapping("/**")
  ResponseEntity<byte[]> nothing() {
    return templates.page(
        HttpStatus.NOT_FOUND,
        "problem",
        "No such page",
        Map.of(
            "problem",
            Problems.of(
                HttpStatus.NOT_FOUND, "No such page", "The console has no page at this address.")));
  }

  /** The repositories that the visitor may know of. */
  @GetMapping("/repositories")
  ResponseEntity<byte[]> repositories() {
    Caller caller = CurrentCaller.get();
    return templates.page(
        HttpStatus.OK,
        "repositories",
        TITLE,
        Map.of(
            "repositories",
            catalog().repositories().stream()
                .filter(repository -> caller.mayReadSomeOf(repository.name()))
                .toList()));
  }

  /** Artifacts of a repository, by path. */
  @GetMapping("/repository")
  ResponseEntity<byte[]> repository(
      @RequestParam String name,
      @RequestParam(defaultValue = "") String prefix,
      @RequestParam(defaultValue = "") String after) {
    Repository repository = visible.of(name);
    List<Artifact> found =
        catalog().list(name, CurrentCaller.get().ranges(prefix), after, PAGE + 1);
    List<Artifact> shown = found.subList(0, Math.min(PAGE, found.size()));
    String next =
        found.size() > PAGE
            ? "/console/repository?name=%s&prefix=%s&after=%s"
                .formatted(
                    Format.query(name), Format.query(prefix), Format.query(shown.getLast().path()))
            : "";
    return templates.page(
        HttpStatus.OK,
        "repository",
        TITLE,
        Map.of("repository", repository, "artifacts", shown, "prefix", prefix, "next", next));
  }

  /** One artifact. */
  @GetMapping("/artifact")
  ResponseEntity<byte[]> artifact(
      @RequestParam String repository, @RequestParam String path, HttpServletRequest request) {
    ArtifactId id = readable(repository, path);
    ArtifactView view = artifacts.view(id);
    return templates.page(
        HttpStatus.OK,
        "artifact",
        TITLE,
        Map.of(
            "artifact",
            view,
            "recipes",
            Recipe.of(view, SignInPages.server(request), visible.of(repository).isPublic()),
            "update",
            update(id),
            "attachments",
            Objects.requireNonNull(attachments.list(id).getBody()).attachments(),
            "channels",
            ChannelPages.leadingTo(path, channels.list(repository).channels()),
            "history",
            // It names callers, as the audit does.
            CurrentCaller.get().role() == Role.ADMIN ? history.of(id) : List.of()));
  }

  private ArtifactCatalog catalog() {
    return visible.catalog();
  }

  private Optional<Update> update(ArtifactId id) {
    try {
      Optional<Artifact> artifact = catalog().find(id);
      return artifact.isEmpty()
          ? Optional.empty()
          : Update.to(artifact.get(), CurrentCaller.get(), catalog(), delta);
    } catch (StorageException e) {
      // The page has enough to show without it; whatever is wrong is the storage's to say.
      LOG.debug("The cost of an update to {} is not known", id, e);
      return Optional.empty();
    }
  }

  /**
   * Names an artifact.
   *
   * @throws ProblemException with 403 if the visitor may not read it
   */
  static ArtifactId readable(String repository, String path) {
    ArtifactId id = new ArtifactId(repository, path);
    if (!CurrentCaller.get().mayRead(id)) {
      throw new ProblemException(Problems.forbidden(AccessRules.OUT_OF_SCOPE));
    }
    return id;
  }
}

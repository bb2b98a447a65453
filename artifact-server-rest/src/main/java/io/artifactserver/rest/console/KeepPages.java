package io.artifactserver.rest.console;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Deleted;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.keep.RetentionController;
import io.artifactserver.rest.api.keep.RetentionController.PreviewView;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Rules that delete a repository's old releases, and deletions. Thread-safe. */
@Controller
@RequestMapping("/console")
@Hidden
public record KeepPages(
    Templates templates,
    VisibleRepositories visible,
    ArtifactCatalog catalog,
    RetentionController retention) {
  private static final String TITLE = "Repositories";
  private static final int PAGE = 100;

  /**
   * The rules of a repository.
   *
   * @param preview whether to find out what they would delete, which reads all artifacts
   */
  @GetMapping("/retention")
  ResponseEntity<byte[]> retention(
      @RequestParam String repository, @RequestParam(defaultValue = "false") boolean preview) {
    Repository shown = visible.of(repository);
    Optional<PreviewView> found =
        preview ? Optional.of(retention.preview(repository)) : Optional.empty();
    return templates.page(
        HttpStatus.OK,
        "retention",
        TITLE,
        Map.of("repository", shown, "retention", retention.get(repository), "preview", found));
  }

  /** Paths whose artifacts were deleted. */
  @GetMapping("/deleted")
  ResponseEntity<byte[]> deleted(
      @RequestParam String repository,
      @RequestParam(defaultValue = "") String prefix,
      @RequestParam(defaultValue = "") String after) {
    Repository shown = visible.of(repository);
    List<Deleted> found =
        catalog.listDeleted(repository, CurrentCaller.get().ranges(prefix), after, PAGE + 1);
    List<Deleted> page = found.subList(0, Math.min(PAGE, found.size()));
    String next =
        found.size() > PAGE
            ? "/console/deleted?repository=%s&prefix=%s&after=%s"
                .formatted(
                    Format.query(repository),
                    Format.query(prefix),
                    Format.query(page.getLast().used().id().path()))
            : "";
    return templates.page(
        HttpStatus.OK,
        "deleted",
        TITLE,
        Map.of("repository", shown, "deleted", page, "prefix", prefix, "next", next));
  }
}

package io.artifactserver.rest.progress;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What devices have of an artifact. Thread-safe. */
@RestController
@RequestMapping("/api/v1/progress")
@Tag(name = "Progress")
public class ProgressController {
  private static final int MAX_LIMIT = 10_000;

  private final ArtifactCatalog catalog;
  private final ProgressBook book;

  public ProgressController(ArtifactCatalog catalog, ProgressBook book) {
    this.catalog = catalog;
    this.book = book;
  }

  /** A page of devices, by name. */
  @GetMapping
  @Operation(
      summary = "Show which devices have an artifact",
      description =
          "Devices that were sent some of the artifact, by name. \"complete\" is true once every byte"
              + " was sent. The Link field names the next page.")
  public ResponseEntity<List<ProgressView>> list(
      @RequestParam String repository,
      @RequestParam String path,
      @Parameter(description = "Every name comes behind it") @RequestParam(defaultValue = "")
          String after,
      @Parameter(description = "Of the page's size, 1 to 10000")
          @RequestParam(defaultValue = "1000")
          int limit) {
    if (limit < 1 || limit > MAX_LIMIT || after.indexOf('\0') >= 0) {
      throw new ProblemException(
          Problems.of(
              HttpStatus.BAD_REQUEST,
              "Page out of bounds",
              "\"limit\" is 1 to %d, and \"after\" the name of a device.".formatted(MAX_LIMIT)));
    }
    ArtifactId id = new ArtifactId(repository, path);
    Artifact artifact =
        catalog
            .find(id)
            .orElseThrow(() ->
                new ProblemException(
                    Problems.of(
                        HttpStatus.NOT_FOUND,
                        "No such artifact",
                        "There is no artifact \"%s\". GET /api/v1/repositories/%s/artifacts lists them."
                            .formatted(id, repository))));
    ProgressSubject subject =
        new ProgressSubject(repository, artifact.digests().sha256(), artifact.length());
    List<DeviceProgress> found = book.list(subject, after, limit + 1);
    List<DeviceProgress> page = found.subList(0, Math.min(limit, found.size()));
    ResponseEntity.BodyBuilder response = ResponseEntity.ok();
    if (found.size() > limit) {
      response.header(HttpHeaders.LINK, nextLink(id, page.getLast().device(), limit));
    }
    return response.body(
        page.stream().map(progress -> ProgressView.of(progress, artifact.length())).toList());
  }

  private static String nextLink(ArtifactId id, String after, int limit) {
    return "</api/v1/progress?repository=%s&path=%s&after=%s&limit=%d>; rel=\"next\""
        .formatted(
            id.repository(),
            URLEncoder.encode(id.path(), StandardCharsets.UTF_8),
            URLEncoder.encode(after, StandardCharsets.UTF_8),
            limit);
  }

  /**
   * What one device has of an artifact.
   *
   * @param device name of the device
   * @param bytes how many were sent, each counted once
   * @param length of the artifact, in bytes
   * @param complete whether every byte was sent
   * @param updated when the last of them were sent
   */
  public record ProgressView(
      String device, long bytes, long length, boolean complete, Instant updated) {
    static ProgressView of(DeviceProgress progress, long length) {
      long bytes = progress.delivered().count();
      return new ProgressView(
          progress.device(), bytes, length, bytes == length, progress.updatedAt());
    }
  }
}

package io.artifactserver.rest.console;

import io.artifactserver.core.access.LinkTerms;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.access.link.Links;
import io.artifactserver.rest.api.attachment.AttachmentController;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Links that save an artifact, and documents about it. Thread-safe. */
@Controller
@Hidden
public record DownloadPages(
    ArtifactCatalog catalog, AttachmentController attachments, Links links, InstantSource clock) {
  /** In which a browser begins to download. */
  private static final Duration LINK = Duration.ofMinutes(5);

  /** Sends the browser to the bytes, with a link that is good for a moment. */
  @GetMapping("/console/download")
  ResponseEntity<byte[]> download(@RequestParam String repository, @RequestParam String path) {
    ArtifactId id = ArtifactPages.readable(repository, path);
    if (catalog.find(id).isEmpty()) {
      throw new ProblemException(Problems.artifactNotFound(id));
    }
    LinkTerms terms =
        new LinkTerms(
            id, LinkTerms.Method.GET, clock.instant().plus(LINK).getEpochSecond(), 0, 0, "");
    return ResponseEntity.status(HttpStatus.SEE_OTHER)
        .location(URI.create(links.url(terms)))
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .build();
  }

  /** The bytes of a document: the session is good for pages of the console only. */
  @GetMapping("/console/attachment")
  ResponseEntity<byte[]> attachment(
      @RequestParam String repository, @RequestParam String path, @RequestParam String sha256) {
    ArtifactId id = ArtifactPages.readable(repository, path);
    try {
      return attachments.content(id, new Digest(DigestAlgorithm.SHA_256, sha256));
    } catch (IllegalArgumentException e) {
      throw new ProblemException(HttpStatus.BAD_REQUEST, "No digest", e.getMessage() + ".");
    }
  }
}

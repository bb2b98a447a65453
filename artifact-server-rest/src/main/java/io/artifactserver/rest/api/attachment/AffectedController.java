package io.artifactserver.rest.api.attachment;

import io.artifactserver.core.attachment.AffectedDevice;
import io.artifactserver.core.attachment.AffectedQuestion;
import io.artifactserver.core.attachment.AttachmentStore;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.problem.ProblemException;
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

/** Says which devices have what a VEX calls affected. Thread-safe. */
@RestController
@RequestMapping(AffectedController.PATH)
@Tag(name = "Progress")
public record AffectedController(AttachmentStore attachments) {
  static final String PATH = "/api/v1/progress/affected";

  private static final int MAX_LIMIT = 10_000;

  /** A page of devices, by name. */
  @GetMapping
  @Operation(
      summary = "Show which devices have what a VEX calls affected",
      description =
          "Devices that were sent every byte of an artifact that the VEX calls affected, by name, and"
              + " since then no other whole artifact of the same file name. As the database has it:"
              + " a few seconds old. The Link field names the next page.")
  public ResponseEntity<List<AffectedView>> list(
      @RequestParam String repository,
      @Parameter(description = "SHA-256 of the VEX, as it is attached to an artifact") @RequestParam
          String vex,
      @Parameter(description = "Such as CVE-2026-1234; all that the VEX names, if absent")
          @RequestParam(defaultValue = "")
          String vulnerability,
      @Parameter(description = "Every name comes behind it") @RequestParam(defaultValue = "")
          String after,
      @Parameter(description = "Of the page's size, 1 to 10000")
          @RequestParam(defaultValue = "1000")
          int limit) {
    if (limit < 1
        || limit > MAX_LIMIT
        || after.indexOf('\0') >= 0
        || vulnerability.indexOf('\0') >= 0) {
      throw refused(
          "Page out of bounds",
          "\"limit\" must be 1 to %d, and \"after\" the name of a device.".formatted(MAX_LIMIT));
    }
    Digest digest = digest(vex);
    if (!attachments.hasVex(Repository.requireName(repository), digest)) {
      throw new ProblemException(
          HttpStatus.NOT_FOUND,
          "No such VEX",
          "No artifact of the repository \"%s\" has a VEX with this SHA-256. GET .../attachments of an artifact lists those that it has."
              .formatted(repository));
    }
    List<AffectedDevice> found =
        attachments.affected(
            new AffectedQuestion(repository, digest, vulnerability, after, limit + 1));
    List<AffectedDevice> page = found.subList(0, Math.min(limit, found.size()));
    ResponseEntity.BodyBuilder response = ResponseEntity.ok();
    if (found.size() > limit) {
      response.header(
          HttpHeaders.LINK,
          "<%s?repository=%s&vex=%s&vulnerability=%s&after=%s&limit=%d>; rel=\"next\""
              .formatted(
                  PATH,
                  repository,
                  digest.hex(),
                  encoded(vulnerability),
                  encoded(page.getLast().device()),
                  limit));
    }
    return response.body(page.stream().map(AffectedView::of).toList());
  }

  private static Digest digest(String hex) {
    try {
      return new Digest(DigestAlgorithm.SHA_256, hex);
    } catch (IllegalArgumentException e) {
      throw refused("No digest", e.getMessage() + ".");
    }
  }

  private static ProblemException refused(String title, String detail) {
    return new ProblemException(HttpStatus.BAD_REQUEST, title, detail);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /**
   * A device.
   *
   * @param device its name
   * @param path of the affected artifact that it has; the first of several
   * @param since when its last byte was sent
   */
  public record AffectedView(String device, String path, Instant since) {
    static AffectedView of(AffectedDevice device) {
      return new AffectedView(device.device(), device.path(), device.since());
    }
  }
}

package io.artifactserver.rest.api.keep;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.HoldResult;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.Support;
import io.artifactserver.rest.api.artifact.AnswersBelow;
import io.artifactserver.rest.api.artifact.ArtifactView;
import io.artifactserver.rest.api.artifact.NamesAnArtifact;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.http.BelowArtifact;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.time.InstantSource;
import java.time.YearMonth;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Holds of artifacts, and the support that they are for. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}")
@Tag(name = "Holds")
public record HoldController(ArtifactCatalog catalog, InstantSource clock) {
  /** Holds an artifact, or extends its hold: 200. */
  @PutMapping("/artifacts/{*path}")
  @AnswersBelow(BelowArtifact.HOLD)
  @Operation(
      summary = "Hold an artifact",
      description =
          "Nobody can delete it before \"until\": no role, no rule and no command. A hold can be"
              + " extended, and never shortened: 409.")
  @NamesAnArtifact
  public ArtifactView hold(
      @Parameter(hidden = true) ArtifactId id, @Valid @RequestBody NewHold request) {
    Instant until = request.until();
    if (until == null) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST, "Invalid body", "\"until\" must not be null.");
    }
    requireAhead(until);
    Hold hold = new Hold(until, Objects.requireNonNull(request.reason()));
    AuditDetails.before(ArtifactView.of(required(id)));
    return switch (catalog.hold(id, hold)) {
      case HoldResult.Holds(Artifact artifact) -> changed(artifact);
      case HoldResult.Absent _ -> throw notFound(id);
      case HoldResult.Longer(Hold longer) -> throw new ProblemException(Problems.held(id, longer));
    };
  }

  /** Says why an artifact was released and how long it is supported: 200. */
  @PutMapping("/artifacts/{*path}")
  @AnswersBelow(BelowArtifact.SUPPORT)
  @Operation(
      summary = "Say why an artifact was released, and how long it is supported",
      description =
          "A \"security\" release is held for ten years from now, or until the month \"end\" is over,"
              + " whichever is later; a longer hold stays. A \"feature\" release is not held. No hold"
              + " ends because a release is called something else later.")
  @NamesAnArtifact
  public ArtifactView support(
      @Parameter(hidden = true) ArtifactId id, @Valid @RequestBody NewSupport request) {
    Support support = request.support();
    support.hold(clock.instant()).ifPresent(hold -> requireAhead(hold.until()));
    Artifact before = required(id);
    AuditDetails.before(ArtifactView.of(before));
    // Asked twice for the same, the ten years do not begin again.
    return changed(
        support.equals(before.support())
            ? before
            : catalog.support(id, support).orElseThrow(() -> notFound(id)));
  }

  private ArtifactView changed(Artifact artifact) {
    ArtifactView view = ArtifactView.of(artifact);
    AuditDetails.after(view);
    return view;
  }

  private void requireAhead(Instant until) {
    Instant now = clock.instant();
    if (until.isBefore(now) || until.isAfter(now.plus(Hold.LONGEST))) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Invalid end",
          "A hold ends between now and %d days from now, not at %s. It cannot be taken back."
              .formatted(Hold.LONGEST.toDays(), until));
    }
  }

  private Artifact required(ArtifactId id) {
    return catalog.findCurrent(id).orElseThrow(() -> notFound(id));
  }

  private static ProblemException notFound(ArtifactId id) {
    return new ProblemException(Problems.artifactNotFound(id));
  }

  /**
   * A hold to begin or to extend.
   *
   * @param until nobody deletes the artifact before
   * @param reason for people
   */
  public record NewHold(
      @Nullable Instant until, @NotBlank @Size(max = Hold.MAX_REASON) @Nullable String reason) {}

  /**
   * Why an artifact was released, and how long it is supported.
   *
   * @param release {@code security} or {@code feature}
   * @param end the last month of the support, such as {@code 2032-03}
   */
  public record NewSupport(
      @NotBlank @Pattern(regexp = "security|feature", message = "is \"security\" or \"feature\"")
          @Nullable String release,
      @NotBlank
          @Pattern(
              regexp = "\\d{4}-(?:0[1-9]|1[0-2])",
              message = "is a year and a month, such as \"2032-03\"")
          @Nullable String end) {
    Support support() {
      return new Support(
          Support.Release.valueOf(Objects.requireNonNull(release).toUpperCase(Locale.ROOT)),
          YearMonth.parse(Objects.requireNonNull(end)));
    }
  }
}

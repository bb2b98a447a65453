package io.artifactserver.rest.api.keep;

import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.limit.OverQuotaException;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.retire.Undeletion;
import io.artifactserver.rest.api.artifact.AnswersBelow;
import io.artifactserver.rest.api.artifact.ArtifactView;
import io.artifactserver.rest.api.artifact.NamesAnArtifact;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.http.BelowArtifact;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Takes deletions back. Thread-safe. */
@RestController
@Tag(name = "Artifacts")
public record UndeletionController(Undeletion undeletion) {
  /** Puts a deleted artifact back: 201. */
  @PostMapping("/api/v1/repositories/{repository}/artifacts/{*path}")
  @AnswersBelow(BelowArtifact.UNDELETE)
  @Operation(
      summary = "Take a deletion back",
      description =
          "As long as the bytes are there: for artifact-server.retire.grace-period, or as long as"
              + " another artifact has them. After that, 404: upload the same bytes again.")
  @NamesAnArtifact
  public ResponseEntity<ArtifactView> undelete(@Parameter(hidden = true) ArtifactId id)
      throws ReleaseException.Sealed {
    return switch (added(id)) {
      case Addition.Added added -> {
        ArtifactView view = ArtifactView.of(added.artifact());
        AuditDetails.after(view);
        yield ResponseEntity.created(URI.create(view.links().self())).body(view);
      }
      case Addition.PathTaken _ ->
          throw new ProblemException(
              HttpStatus.CONFLICT, "Path taken", "%s has an artifact.".formatted(id));
      case Addition.PathUsed(UsedPath used) ->
          throw new ProblemException(
              HttpStatus.CONFLICT,
              "Path used",
              "%s was deleted again meanwhile; its bytes had %s.".formatted(id, used.sha256()));
      case Addition.NoRepository _ -> throw gone(id);
    };
  }

  private Addition added(ArtifactId id) throws ReleaseException.Sealed {
    try {
      return undeletion.undelete(id).orElseThrow(() -> gone(id));
    } catch (OverQuotaException _) {
      throw new ProblemException(
          HttpStatus.INSUFFICIENT_STORAGE,
          "Repository full",
          "The repository has no room for %s any more.".formatted(id));
    }
  }

  private static ProblemException gone(ArtifactId id) {
    return new ProblemException(
        HttpStatus.NOT_FOUND,
        "Nothing to take back",
        "Nothing was deleted from %s whose bytes are still there. Upload the same bytes again."
            .formatted(id));
  }
}

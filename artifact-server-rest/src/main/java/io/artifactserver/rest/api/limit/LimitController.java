package io.artifactserver.rest.api.limit;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.limit.LimitBook;
import io.artifactserver.core.limit.RepositoryLimits;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** How fast a repository may be read. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}/limits")
@Tag(name = "Limits")
public record LimitController(ArtifactCatalog catalog, LimitBook book) {
  /** The limits. */
  @GetMapping
  @Operation(
      summary = "Show how fast a repository may be read",
      description = "A number that is null is no limit.")
  public Limits get(@PathVariable String repository) {
    if (catalog.repository(Repository.requireName(repository)).isEmpty()) {
      throw new ProblemException(Problems.repositoryNotFound(repository));
    }
    return Limits.of(book.table().limits(repository));
  }

  /** Replaces the limits: 200. */
  @PutMapping
  @Operation(
      summary = "Limit how fast a repository may be read",
      description =
          "Replaces the limits; null is no limit. They count at once, for downloads that run too."
              + " Downloads share the rate equally. Downloads beyond the number wait in the order"
              + " in which they came.")
  public Limits put(@PathVariable String repository, @Valid @RequestBody Limits limits) {
    RepositoryLimits before = book.table().limits(Repository.requireName(repository));
    if (!book.put(repository, limits.toLimits())) {
      throw new ProblemException(Problems.repositoryNotFound(repository));
    }
    Limits after = Limits.of(limits.toLimits());
    AuditDetails.before(Limits.of(before));
    AuditDetails.after(after);
    return after;
  }

  /**
   * Limits of a repository's downloads.
   *
   * @param bytesPerSecond of all of them together; null for no limit
   * @param concurrentDownloads how many are sent at a time; null for no limit
   */
  public record Limits(
      @Min(value = 1, message = RATE)
          @Max(value = RepositoryLimits.MAX_BYTES_PER_SECOND, message = RATE)
          @Nullable Long bytesPerSecond,
      @Min(value = 1, message = DOWNLOADS)
          @Max(value = RepositoryLimits.MAX_CONCURRENT_DOWNLOADS, message = DOWNLOADS)
          @Nullable Long concurrentDownloads) {
    private static final String RATE =
        "is a number from 1 to 1000000000000; leave it out, or set it to null, for no limit";
    private static final String DOWNLOADS =
        "is a number from 1 to 1000000; leave it out, or set it to null, for no limit";

    static Limits of(RepositoryLimits limits) {
      return new Limits(orNull(limits.bytesPerSecond()), orNull(limits.concurrentDownloads()));
    }

    RepositoryLimits toLimits() {
      return new RepositoryLimits(orNone(bytesPerSecond), orNone(concurrentDownloads));
    }

    private static @Nullable Long orNull(long number) {
      return number == RepositoryLimits.NO_LIMIT ? null : number;
    }

    private static long orNone(@Nullable Long number) {
      return number == null ? RepositoryLimits.NO_LIMIT : number;
    }
  }
}

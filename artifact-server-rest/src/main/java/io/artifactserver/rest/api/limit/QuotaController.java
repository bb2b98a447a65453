package io.artifactserver.rest.api.limit;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.limit.RepositoryQuota;
import io.artifactserver.core.limit.RepositoryUsage;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.PositiveOrZero;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** How much a repository may hold, and holds. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}/quota")
@Tag(name = "Limits")
public record QuotaController(ArtifactCatalog catalog, QuotaLedger ledger) {
  /** The quota, and what counts against it. */
  @GetMapping
  @Operation(
      summary = "Show a repository's quota and usage",
      description =
          "Every artifact counts with its whole length, even when its bytes are stored once for"
              + " several artifacts. \"reserved\" is for uploads that run.")
  public QuotaView get(@PathVariable String repository) {
    if (catalog.repository(Repository.requireName(repository)).isEmpty()) {
      throw new ProblemException(Problems.repositoryNotFound(repository));
    }
    return QuotaView.of(ledger.standing(repository));
  }

  /** Replaces the quota: 200. */
  @PutMapping
  @Operation(
      summary = "Set a repository's quota",
      description =
          "Replaces the quota; null is no limit. An upload that does not fit is answered with 507."
              + " Nothing is deleted when the repository holds more already.")
  public QuotaView put(@PathVariable String repository, @Valid @RequestBody QuotaChange change) {
    if (!ledger.put(Repository.requireName(repository), change.toQuota())) {
      throw new ProblemException(Problems.repositoryNotFound(repository));
    }
    return QuotaView.of(ledger.standing(repository));
  }

  /**
   * A quota to set.
   *
   * @param bytes of all artifacts together; null for no limit
   * @param artifacts how many there may be; null for no limit
   */
  public record QuotaChange(
      @PositiveOrZero @Nullable Long bytes, @PositiveOrZero @Nullable Long artifacts) {
    RepositoryQuota toQuota() {
      return new RepositoryQuota(limit(bytes), limit(artifacts));
    }

    private static long limit(@Nullable Long number) {
      return number == null ? RepositoryQuota.NO_LIMIT : number;
    }
  }

  /**
   * A quota and what counts against it.
   *
   * @param bytes of all artifacts together; null for no limit
   * @param artifacts how many there may be; null for no limit
   * @param used by artifacts that are there
   * @param reserved for uploads that run
   */
  public record QuotaView(
      @Nullable Long bytes, @Nullable Long artifacts, Usage used, Usage reserved) {
    static QuotaView of(QuotaLedger.Standing standing) {
      return new QuotaView(
          limit(standing.quota().bytes()),
          limit(standing.quota().artifacts()),
          Usage.of(standing.used()),
          Usage.of(standing.reserved()));
    }

    private static @Nullable Long limit(long number) {
      return number == RepositoryQuota.NO_LIMIT ? null : number;
    }
  }

  /**
   * The usage that counts against a quota.
   *
   * @param bytes of all artifacts together
   * @param artifacts how many there are
   */
  public record Usage(long bytes, long artifacts) {
    static Usage of(RepositoryUsage usage) {
      return new Usage(usage.bytes(), usage.artifacts());
    }
  }
}

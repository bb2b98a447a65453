package io.artifactserver.rest.console;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.limit.QuotaStore;
import io.artifactserver.core.limit.RepositoryQuota;
import io.artifactserver.core.limit.RepositoryUsage;
import io.swagger.v3.oas.annotations.Hidden;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows where the bytes are, and how much room there is. Thread-safe. */
@Controller
@Hidden
public record StoragePages(
    Templates templates,
    ArtifactCatalog catalog,
    QuotaStore quotas,
    Usages usages,
    BlobStore store,
    OverviewPage overview,
    Environment settings) {
  private static final Logger LOG = LoggerFactory.getLogger(StoragePages.class);

  private static final int PAGE = 50;

  /**
   * Repositories by name, and the disk.
   *
   * @param after every name comes behind it
   */
  @GetMapping("/console/storage")
  ResponseEntity<byte[]> show(@RequestParam(defaultValue = "") String after) {
    List<Repository> found =
        catalog.repositories().stream()
            .filter(repository -> repository.name().compareTo(after) > 0)
            .sorted(Comparator.comparing(Repository::name))
            .limit(PAGE + 1)
            .toList();
    Map<String, Object> health = overview.details("storage");
    List<Held> held = found.stream().limit(PAGE).map(this::held).toList();
    return templates.page(
        HttpStatus.OK,
        "storage",
        "Storage",
        Map.of(
            "held",
            held,
            "disk",
            disk(),
            "backend",
            store.name(),
            "bucket",
            bucket(),
            "state",
            String.valueOf(health.getOrDefault("uploads", "not known")),
            "suspects",
            String.valueOf(health.getOrDefault("suspectBlobs", "not known")),
            "next",
            found.size() > PAGE
                ? "/console/storage?after=" + Format.query(held.getLast().repository.name())
                : ""));
  }

  private Held held(Repository repository) {
    return new Held(repository, usages.of(repository.name()), quotas.quota(repository.name()));
  }

  /** The bucket and its server, if the bytes are there. */
  private String bucket() {
    String prefix = "artifact-server.storage.s3.";
    return String.join(
        " at ",
        Stream.of("bucket", "endpoint")
            .map(name -> settings.getProperty(prefix + name, ""))
            .filter(value -> !value.isEmpty())
            .toList());
  }

  private Optional<Disk> disk() {
    try {
      FileStore found =
          Files.getFileStore(Path.of(settings.getRequiredProperty("artifact-server.data-dir")));
      return Optional.of(new Disk(found.getUsableSpace(), found.getTotalSpace()));
    } catch (IOException e) {
      LOG.debug("The room on the disk is not known", e);
      return Optional.empty();
    }
  }

  /**
   * The disk of the data folder, in bytes.
   *
   * @param free what the server may still write
   */
  public record Disk(long free, long total) {}

  /** A repository with its usage and its quota. */
  public record Held(Repository repository, RepositoryUsage usage, RepositoryQuota quota) {
    /** The share of the quota that is used; empty where nothing bounds the bytes. */
    public String share() {
      return quota.bytes() == RepositoryQuota.NO_LIMIT
          ? ""
          : "%s of %s"
              .formatted(Format.percent(usage.bytes(), quota.bytes()), Format.bytes(quota.bytes()));
    }
  }
}

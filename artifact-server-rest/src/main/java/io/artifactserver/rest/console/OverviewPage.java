package io.artifactserver.rest.console;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.limit.QuotaStore;
import io.artifactserver.core.limit.RepositoryUsage;
import io.artifactserver.rest.access.CurrentCaller;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.ApiVersion;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointWebExtension;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

/** How the server is, and what it does now. Thread-safe. */
@Controller
@Hidden
public final class OverviewPage {
  /** Adding up a repository reads all its rows. */
  private static final Duration USAGE_AGE = Duration.ofMinutes(1);

  private static final int MAX_REPOSITORIES = 50;

  private final Templates templates;
  private final ArtifactCatalog catalog;
  private final QuotaStore quotas;
  private final MeterRegistry registry;
  private final ObjectProvider<HealthEndpointWebExtension> health;
  private final Cache<String, RepositoryUsage> usages =
      Caffeine.newBuilder().maximumSize(1000).expireAfterWrite(USAGE_AGE).build();

  /**
   * @param health is there when the server has started
   */
  OverviewPage(
      Templates templates,
      ArtifactCatalog catalog,
      QuotaStore quotas,
      MeterRegistry registry,
      ObjectProvider<HealthEndpointWebExtension> health) {
    this.templates = templates;
    this.catalog = catalog;
    this.quotas = quotas;
    this.registry = registry;
    this.health = health;
  }

  /** The first page, of those who may see all of the server; of others, their repositories. */
  @GetMapping("/console/")
  ResponseEntity<byte[]> show() {
    Caller caller = CurrentCaller.get();
    if (caller.role() != Role.ADMIN) {
      return ResponseEntity.status(HttpStatus.SEE_OTHER)
          .location(URI.create("/console/repositories"))
          .header(HttpHeaders.CACHE_CONTROL, "no-store")
          .build();
    }
    return templates.page(
        HttpStatus.OK,
        "overview",
        "Overview",
        Map.of("health", health(), "jobs", jobs(), "storage", storage()));
  }

  private List<Component> health() {
    HealthDescriptor found =
        health
            .getObject()
            .health(ApiVersion.V3, WebServerNamespace.SERVER, SecurityContext.NONE, true)
            .getBody();
    return found instanceof CompositeHealthDescriptor all
        ? Objects.requireNonNullElse(all.getComponents(), Map.<String, HealthDescriptor>of())
            .entrySet()
            .stream()
            .map(each -> Component.of(each.getKey(), each.getValue()))
            .toList()
        : List.of();
  }

  private List<Job> jobs() {
    return registry.find("artifact_server.job.last.success").timeGauges().stream()
        .map(Job::of)
        .sorted(Comparator.comparing(Job::name))
        .toList();
  }

  private List<Storage> storage() {
    return catalog.repositories().stream()
        .limit(MAX_REPOSITORIES)
        .map(repository -> new Storage(repository.name(), usage(repository.name())))
        .sorted(Comparator.comparingLong((Storage each) -> each.usage.bytes()).reversed())
        .toList();
  }

  private RepositoryUsage usage(String repository) {
    RepositoryUsage known = usages.getIfPresent(repository);
    if (known != null) {
      return known;
    }
    RepositoryUsage found = quotas.usage(repository);
    usages.put(repository, found);
    return found;
  }

  /**
   * Something that the server needs.
   *
   * @param details as it says them itself; may be empty
   */
  public record Component(String name, String status, String details) {
    static Component of(String name, HealthDescriptor health) {
      return new Component(
          name,
          health.getStatus().getCode(),
          health instanceof IndicatedHealthDescriptor indicated && indicated.getDetails() != null
              ? indicated.getDetails().toString().replaceAll("^\\{|\\}$", "")
              : "");
    }

    public boolean isUp() {
      return status.equals("UP");
    }
  }

  /**
   * A background job.
   *
   * @param last when it was last done without a failure; {@link Instant#EPOCH} if never
   */
  public record Job(String name, Instant last) {
    static Job of(TimeGauge gauge) {
      return new Job(
          Objects.requireNonNullElse(gauge.getId().getTag("job"), ""),
          Instant.ofEpochSecond((long) gauge.value(TimeUnit.SECONDS)));
    }

    public boolean wasDone() {
      return !last.equals(Instant.EPOCH);
    }
  }

  /** The room that a repository takes. */
  public record Storage(String repository, RepositoryUsage usage) {}
}

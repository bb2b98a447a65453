package io.artifactserver.rest.console;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.limit.RepositoryUsage;
import io.artifactserver.rest.access.CurrentCaller;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
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
  private static final int MAX_REPOSITORIES = 50;

  private final Templates templates;
  private final ArtifactCatalog catalog;
  private final Usages usages;
  private final MeterRegistry registry;
  private final ObjectProvider<HealthEndpointWebExtension> health;

  /**
   * @param health is there when the server has started
   */
  OverviewPage(
      Templates templates,
      ArtifactCatalog catalog,
      Usages usages,
      MeterRegistry registry,
      ObjectProvider<HealthEndpointWebExtension> health) {
    this.templates = templates;
    this.catalog = catalog;
    this.usages = usages;
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
        Map.of(
            "health",
            parts().entrySet().stream()
                .map(each -> Component.of(each.getKey(), each.getValue()))
                .toList(),
            "jobs",
            jobs(),
            "storage",
            storage()));
  }

  /** Returns what a part of the server says of its health; empty if it says nothing. */
  Map<String, Object> details(String part) {
    return parts().get(part) instanceof IndicatedHealthDescriptor indicated
        ? Objects.requireNonNullElse(indicated.getDetails(), Map.of())
        : Map.of();
  }

  private Map<String, HealthDescriptor> parts() {
    HealthDescriptor found =
        health
            .getObject()
            .health(ApiVersion.V3, WebServerNamespace.SERVER, SecurityContext.NONE, true)
            .getBody();
    return found instanceof CompositeHealthDescriptor all
        ? Objects.requireNonNullElse(all.getComponents(), Map.of())
        : Map.of();
  }

  /** The jobs that say when they were last done, by name. */
  List<Job> jobs() {
    return registry.find("artifact_server.job.last.success").timeGauges().stream()
        .map(Job::of)
        .sorted(Comparator.comparing(Job::name))
        .toList();
  }

  private List<Storage> storage() {
    return catalog.repositories().stream()
        .limit(MAX_REPOSITORIES)
        .map(repository -> new Storage(repository.name(), usages.of(repository.name())))
        .sorted(Comparator.comparingLong((Storage each) -> each.usage.bytes()).reversed())
        .toList();
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

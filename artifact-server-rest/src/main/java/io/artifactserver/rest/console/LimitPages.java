package io.artifactserver.rest.console;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.rest.api.limit.LimitController;
import io.artifactserver.rest.api.limit.NamedLimitController;
import io.artifactserver.rest.api.limit.QuotaController;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Quotas of repositories, and rates of downloads. Thread-safe. */
@Controller
@Hidden
public record LimitPages(
    Templates templates,
    ArtifactCatalog catalog,
    LimitController limits,
    QuotaController quotas,
    NamedLimitController classes) {
  /** The limits of one repository, and those of classes of downloads. */
  @GetMapping("/console/limits")
  ResponseEntity<byte[]> show(@RequestParam(defaultValue = "") String repository) {
    List<String> names = catalog.repositories().stream().map(Repository::name).toList();
    String shown = repository.isEmpty() && !names.isEmpty() ? names.getFirst() : repository;
    return templates.page(
        HttpStatus.OK,
        "limits",
        "Limits",
        shown.isEmpty()
            ? Map.of("names", names, "shown", "", "classes", classes.list())
            : Map.of(
                "names",
                names,
                "shown",
                shown,
                "quota",
                quotas.get(shown),
                "limits",
                limits.get(shown),
                "classes",
                classes.list()));
  }
}

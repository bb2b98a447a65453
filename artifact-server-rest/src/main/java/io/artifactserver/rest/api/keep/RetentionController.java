package io.artifactserver.rest.api.keep;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.retention.Retention;
import io.artifactserver.core.retention.RetentionRule;
import io.artifactserver.core.retention.RetentionRules;
import io.artifactserver.core.retention.RetentionStore;
import io.artifactserver.core.retention.RetentionStore.Stored;
import io.artifactserver.rest.api.artifact.ArtifactView;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The rules that delete old releases of a repository. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}/retention")
@Tag(name = "Retention")
public record RetentionController(
    ArtifactCatalog catalog, RetentionStore store, Retention retention) {
  /** Artifacts that a preview names. */
  private static final int NAMED = 1_000;

  /** The rules. */
  @GetMapping
  @Operation(summary = "Show the rules that delete old releases")
  public RetentionView get(@PathVariable String repository) {
    return RetentionView.of(stored(repository));
  }

  /** Replaces the rules: 200. */
  @PutMapping
  @Operation(
      summary = "Set the rules that delete old releases",
      description =
          "Each folder or file directly in \"folder\" is a release, as old as its newest artifact. A"
              + " release goes if it is not among the \"newest\" and not younger than \"days\"."
              + " Artifacts that are held stay. The rules delete nothing until they are activated;"
              + " no rules delete nothing.")
  public RetentionView put(@PathVariable String repository, @RequestBody NewRules request) {
    AuditDetails.before(get(repository));
    if (!store.put(repository, request.toRules())) {
      throw notFound(repository);
    }
    RetentionView view = get(repository);
    AuditDetails.after(view);
    return view;
  }

  /** Tells which artifacts the rules would delete now. */
  @GetMapping("/preview")
  @Operation(
      summary = "Show what the rules would delete now",
      description =
          "Deletes nothing. Names the first 1000 artifacts, and counts all. \"revision\" activates"
              + " the rules.")
  public PreviewView preview(@PathVariable String repository) {
    RetentionRules rules = stored(repository).rules();
    return PreviewView.of(rules, retention.plan(repository, rules, NAMED));
  }

  /** Lets the rules delete from now on: 200. */
  @PostMapping("/activation")
  @Operation(
      summary = "Activate the rules that delete old releases",
      description =
          "Takes the \"revision\" of a preview: 409 if the rules were changed since. Any change of the"
              + " rules ends the activation.")
  public RetentionView activate(
      @PathVariable String repository, @Valid @RequestBody Activation request) {
    Stored stored = stored(repository);
    if (!stored.rules().revision().equals(request.revision())
        || !store.activate(repository, stored.rules())) {
      throw new ProblemException(
          HttpStatus.CONFLICT,
          "Other rules",
          "The rules of %s are not those of this revision. GET .../retention/preview shows what they would delete, and their revision."
              .formatted(repository));
    }
    RetentionView view = get(repository);
    AuditDetails.after(view);
    return view;
  }

  private Stored stored(String repository) {
    return store.find(Repository.requireName(repository)).orElseThrow(() -> notFound(repository));
  }

  private static ProblemException notFound(String repository) {
    return new ProblemException(Problems.repositoryNotFound(repository));
  }

  /**
   * Rules to set.
   *
   * @param rules no two of them for the same paths
   */
  public record NewRules(@Nullable List<RuleView> rules) {
    RetentionRules toRules() {
      if (rules == null || rules.stream().anyMatch(Objects::isNull)) {
        throw invalid("\"rules\" is an array of objects.");
      }
      try {
        return new RetentionRules(rules.stream().map(RuleView::toRule).toList());
      } catch (IllegalArgumentException e) {
        throw invalid(e.getMessage() + ".");
      }
    }

    private static ProblemException invalid(String detail) {
      return new ProblemException(HttpStatus.BAD_REQUEST, "Invalid rules", detail);
    }
  }

  /**
   * A rule.
   *
   * @param folder whose folders and files are releases; all of the repository if absent
   * @param newest how many of the newest releases are kept; absent if none is kept for that
   * @param days for how many days a release is kept; absent if none is kept for that
   */
  public record RuleView(
      @Nullable String folder, @Nullable Integer newest, @Nullable Integer days) {
    static RuleView of(RetentionRule rule) {
      Duration age = rule.age();
      return new RuleView(
          rule.folder(), rule.newest(), age == null ? null : Math.toIntExact(age.toDays()));
    }

    RetentionRule toRule() {
      return new RetentionRule(
          Objects.requireNonNullElse(folder, ""),
          newest,
          days == null ? null : Duration.ofDays(days));
    }
  }

  /**
   * The rules of a repository.
   *
   * @param active whether they delete
   */
  public record RetentionView(List<RuleView> rules, boolean active) {
    static RetentionView of(Stored stored) {
      return new RetentionView(
          stored.rules().rules().stream().map(RuleView::of).toList(), stored.isActive());
    }
  }

  /**
   * The artifacts that the rules would delete now.
   *
   * @param revision of the rules
   * @param count how many artifacts would go
   * @param bytes of all of them
   * @param held how many more would go, if no hold kept them
   * @param released how many more would go, if no channel pointed or had pointed to them
   * @param artifacts the first that would go
   */
  public record PreviewView(
      String revision,
      long count,
      long bytes,
      long held,
      long released,
      List<ArtifactView> artifacts) {
    static PreviewView of(RetentionRules rules, Retention.Plan plan) {
      return new PreviewView(
          rules.revision(),
          plan.count(),
          plan.bytes(),
          plan.held(),
          plan.released(),
          plan.goes().stream().map(ArtifactView::of).toList());
    }
  }

  /**
   * An activation.
   *
   * @param revision of the rules, as a preview says it
   */
  public record Activation(@NotBlank @Nullable String revision) {}
}

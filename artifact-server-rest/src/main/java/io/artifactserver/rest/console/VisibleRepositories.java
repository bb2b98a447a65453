package io.artifactserver.rest.console;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import org.springframework.stereotype.Component;

/** The repositories that the visitor may know of. Asks the catalog. Thread-safe. */
@Component
public record VisibleRepositories(ArtifactCatalog catalog) {
  /**
   * Returns a repository.
   *
   * @throws ProblemException with 403 outside the visitor's scope, 404 if there is none
   */
  Repository of(String name) {
    if (!CurrentCaller.get().mayReadSomeOf(Repository.requireName(name))) {
      throw new ProblemException(Problems.forbidden(AccessRules.OUT_OF_SCOPE));
    }
    return catalog
        .repository(name)
        .orElseThrow(() -> new ProblemException(Problems.repositoryNotFound(name)));
  }
}

package io.artifactserver.rest.api.artifact;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.artifactserver.core.catalog.Repository;
import java.time.Instant;

/**
 * A repository as the API shows it. Immutable.
 *
 * @param name of the repository
 * @param isPublic whether devices download without a token
 * @param encrypted whether blobs are encrypted at rest
 * @param redirect whether devices are sent to the backend for plain bytes, where it can serve them
 * @param mutable whether a path takes other bytes after its artifact was deleted
 * @param maxAge how long caches may answer for a path of a public repository without asking, in
 *     seconds; without effect while the repository is mutable
 * @param created when it was created
 * @param links to it
 */
public record RepositoryView(
    String name,
    @JsonProperty("public") boolean isPublic,
    boolean encrypted,
    boolean redirect,
    boolean mutable,
    long maxAge,
    Instant created,
    Links links) {
  /** Where the API keeps repositories. */
  static final String PATH = "/api/v1/repositories/";

  /** The view of a repository. */
  static RepositoryView of(Repository repository) {
    String self = PATH + repository.name();
    return new RepositoryView(
        repository.name(),
        repository.isPublic(),
        repository.encrypted(),
        repository.redirects(),
        repository.paths().mutable(),
        repository.paths().maxAge().toSeconds(),
        repository.createdAt(),
        new Links(self, self + "/artifacts"));
  }

  /**
   * Paths on this server.
   *
   * @param self this description
   * @param artifacts the list of its artifacts
   */
  public record Links(String self, String artifacts) {}
}

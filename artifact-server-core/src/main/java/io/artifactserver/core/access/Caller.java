package io.artifactserver.core.access;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.catalog.PathRange;
import java.util.List;

/**
 * A person, a pipeline or a device that asks, however it was recognised. Immutable.
 *
 * @param id of its token or certificate grant, or {@code link-} and the key of its signed link
 * @param name for people
 * @param scope of an admin it is everything
 * @param labels of its token
 */
public record Caller(String id, String name, Role role, Scope scope, Labels labels) {
  /** A caller without labels. */
  public Caller(String id, String name, Role role, Scope scope) {
    this(id, name, role, scope, Labels.NONE);
  }

  /** Whether the caller may download the artifact. */
  public boolean mayRead(ArtifactId id) {
    return role == Role.ADMIN || scope.includes(id);
  }

  /**
   * The paths that begin with a prefix and that the caller may know of; see {@link Scope#ranges}.
   */
  public List<PathRange> ranges(String prefix) {
    return (role == Role.ADMIN ? Scope.ALL : scope).ranges(prefix);
  }

  /** Whether the caller may upload something somewhere. */
  public boolean mayUpload() {
    return role == Role.ADMIN || role == Role.PUBLISHER;
  }

  /** Whether the caller may download something of the repository. */
  public boolean mayReadSomeOf(String repository) {
    return role == Role.ADMIN || scope.includesSomeOf(repository);
  }

  /** Whether the caller may download everything in the repository. */
  public boolean mayReadAllOf(String repository) {
    return role == Role.ADMIN || scope.includesAllOf(repository);
  }
}

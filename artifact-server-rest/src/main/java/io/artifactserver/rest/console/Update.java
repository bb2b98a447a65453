package io.artifactserver.rest.console;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.derive.ArtifactDelta;
import java.util.Comparator;
import java.util.Optional;

/**
 * The bytes that devices save which have the version before. Immutable.
 *
 * @param from the version before
 * @param transferBytes that an update fetches
 * @param length of the new artifact, in bytes
 */
public record Update(Artifact from, long transferBytes, long length) {
  /** Versions that are looked at. */
  private static final int MAX_VERSIONS = 200;

  /**
   * Compares an artifact with the newest one of the same file name that is older, in a folder
   * beside its own. Asks the catalog and the store.
   *
   * @param caller who sees the answer
   * @return empty if there is none, or nothing is known of its chunks
   */
  static Optional<Update> to(
      Artifact artifact, Caller caller, ArtifactCatalog catalog, ArtifactDelta delta)
      throws StorageException {
    String path = artifact.path();
    int name = path.lastIndexOf('/');
    if (name < 0) {
      return Optional.empty();
    }
    String folders = path.substring(0, path.lastIndexOf('/', name - 1) + 1);
    Optional<Artifact> before =
        catalog
            .list(artifact.repository().name(), caller.ranges(folders), "", MAX_VERSIONS)
            .stream()
            .filter(each -> isVersion(each.path(), folders, path.substring(name)))
            .filter(each -> each.createdAt().isBefore(artifact.createdAt()))
            .max(Comparator.comparing(Artifact::createdAt));
    return before.isEmpty()
        ? Optional.empty()
        : delta
            .between(before.get(), artifact)
            .map(cost -> new Update(before.get(), cost.transferBytes(), artifact.length()));
  }

  private static boolean isVersion(String path, String folders, String name) {
    return path.endsWith(name)
        && path.indexOf('/', folders.length()) == path.length() - name.length();
  }

  /** The share that need not be fetched. */
  public String saved() {
    return Format.percent(Math.max(0, length - transferBytes), length);
  }
}

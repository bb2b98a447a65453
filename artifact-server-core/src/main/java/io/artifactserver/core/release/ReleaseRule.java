package io.artifactserver.core.release;

import io.artifactserver.core.catalog.ArtifactId;

/** Says what may be released. Thread-safe. */
public interface ReleaseRule {
  /**
   * Refuses a release that has an artifact which may not be released. Asks the database.
   *
   * @param release a folder of artifacts
   * @throws ReleaseException.Unsigned if nobody vouches for one of them
   */
  void requireReleasable(ArtifactId release) throws ReleaseException.Unsigned;

  /**
   * Whether the releases of a repository are looked at before they are released: then they take
   * nothing that was not there to be looked at. No I/O.
   */
  boolean isAsked(String repository);
}

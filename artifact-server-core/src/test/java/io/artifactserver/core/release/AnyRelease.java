package io.artifactserver.core.release;

import io.artifactserver.core.catalog.ArtifactId;

/** Lets every release be released. */
public final class AnyRelease implements ReleaseRule {
  @Override
  public void requireReleasable(ArtifactId release) {
    // It is.
  }

  @Override
  public boolean isAsked(String repository) {
    return false;
  }
}

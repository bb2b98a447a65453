package io.artifactserver.rest.server.planted.r16;

import io.artifactserver.rest.app.ArtifactServerApplication;

/** An arrow that runs up. */
final class KnowsTheRoof {
  static final Class<?> ROOF = ArtifactServerApplication.class;

  private KnowsTheRoof() {}
}

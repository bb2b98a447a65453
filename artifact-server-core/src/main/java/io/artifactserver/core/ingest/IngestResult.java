package io.artifactserver.core.ingest;

import io.artifactserver.core.catalog.Artifact;

/** How an ingest ended well. */
public sealed interface IngestResult {
  /** The artifact of the path. */
  Artifact artifact();

  /** The artifact is new. */
  record Created(Artifact artifact) implements IngestResult {}

  /** The path had the same bytes already; nothing changed. */
  record AlreadyPresent(Artifact artifact) implements IngestResult {}
}

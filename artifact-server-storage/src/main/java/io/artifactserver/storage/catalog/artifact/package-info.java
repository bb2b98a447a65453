/** Artifacts, their blobs and forms, and the repositories that hold them, in PostgreSQL. */
@NullMarked
package io.artifactserver.storage.catalog.artifact;

import org.jspecify.annotations.NullMarked;

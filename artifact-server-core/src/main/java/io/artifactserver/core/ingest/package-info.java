/** Use case: take an artifact in. */
@NullMarked
package io.artifactserver.core.ingest;

import org.jspecify.annotations.NullMarked;

/** Channels in PostgreSQL. */
@NullMarked
package io.artifactserver.storage.catalog.release;

import org.jspecify.annotations.NullMarked;

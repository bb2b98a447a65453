/** Unfinished uploads in PostgreSQL. */
@NullMarked
package io.artifactserver.storage.catalog.upload;

import org.jspecify.annotations.NullMarked;

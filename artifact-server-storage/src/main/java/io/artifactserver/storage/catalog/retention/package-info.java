/** The rules that delete old releases, in PostgreSQL. */
@NullMarked
package io.artifactserver.storage.catalog.retention;

import org.jspecify.annotations.NullMarked;

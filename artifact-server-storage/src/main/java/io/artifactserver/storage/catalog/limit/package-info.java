/** Limits and quotas in PostgreSQL. */
@NullMarked
package io.artifactserver.storage.catalog.limit;

import org.jspecify.annotations.NullMarked;

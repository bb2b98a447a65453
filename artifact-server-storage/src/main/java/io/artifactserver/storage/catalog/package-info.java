/** The catalog and the access tokens in PostgreSQL, with bounded caches in front. */
@NullMarked
package io.artifactserver.storage.catalog;

import org.jspecify.annotations.NullMarked;

/** Tests of the catalog on a real PostgreSQL. */
@NullMarked
package io.artifactserver.storage.catalog;

import org.jspecify.annotations.NullMarked;

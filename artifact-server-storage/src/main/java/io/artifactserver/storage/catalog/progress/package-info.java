/** How far devices have come, in PostgreSQL. */
@NullMarked
package io.artifactserver.storage.catalog.progress;

import org.jspecify.annotations.NullMarked;

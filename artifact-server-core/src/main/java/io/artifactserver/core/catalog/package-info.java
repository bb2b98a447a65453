/** Repositories, artifacts, and the blobs behind their names. */
@NullMarked
package io.artifactserver.core.catalog;

import org.jspecify.annotations.NullMarked;

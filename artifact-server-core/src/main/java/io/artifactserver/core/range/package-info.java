/** Positions and lengths inside a blob. */
@NullMarked
package io.artifactserver.core.range;

import org.jspecify.annotations.NullMarked;

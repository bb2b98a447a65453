/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.planted.r17;

import org.jspecify.annotations.NullMarked;

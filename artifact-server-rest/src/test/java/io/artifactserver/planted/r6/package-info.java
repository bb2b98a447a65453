/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.planted.r6;

import org.jspecify.annotations.NullMarked;

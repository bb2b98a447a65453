/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.planted.r7;

import org.jspecify.annotations.NullMarked;

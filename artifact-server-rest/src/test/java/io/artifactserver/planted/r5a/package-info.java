/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.planted.r5a;

import org.jspecify.annotations.NullMarked;

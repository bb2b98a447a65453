/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.core.planted.r9;

import org.jspecify.annotations.NullMarked;

/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.rest.planted.r14;

import org.jspecify.annotations.NullMarked;

/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.rest.planted.r3;

import org.jspecify.annotations.NullMarked;

/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.rest.planted.r13;

import org.jspecify.annotations.NullMarked;

/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.rest.server.planted.r16;

import org.jspecify.annotations.NullMarked;

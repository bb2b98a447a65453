/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.storage.planted.r2;

import org.jspecify.annotations.NullMarked;

/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.storage.file.planted.r4;

import org.jspecify.annotations.NullMarked;

/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.storage.local.file.planted.r4;

import org.jspecify.annotations.NullMarked;

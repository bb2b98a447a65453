/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package io.artifactserver.storage.remote.s3.planted.r4;

import org.jspecify.annotations.NullMarked;

/** Artifacts from operators. */
@NullMarked
package io.artifactserver.rest.upload;

import org.jspecify.annotations.NullMarked;

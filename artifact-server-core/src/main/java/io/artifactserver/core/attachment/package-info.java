/** Documents about an artifact that are kept beside it: SBOMs, VEX, signatures and others. */
@NullMarked
package io.artifactserver.core.attachment;

import org.jspecify.annotations.NullMarked;

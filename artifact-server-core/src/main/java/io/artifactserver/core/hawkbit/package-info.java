/** Artifacts that hawkBit grants its devices, and their files. */
@NullMarked
package io.artifactserver.core.hawkbit;

import org.jspecify.annotations.NullMarked;

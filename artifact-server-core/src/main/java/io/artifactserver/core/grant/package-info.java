/** Artifacts that hawkBit grants its devices, and the ports to their files. */
@NullMarked
package io.artifactserver.core.grant;

import org.jspecify.annotations.NullMarked;

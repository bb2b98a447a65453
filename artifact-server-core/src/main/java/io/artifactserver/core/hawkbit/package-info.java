/** What hawkBit grants its devices, and where the bytes of it are. */
@NullMarked
package io.artifactserver.core.hawkbit;

import org.jspecify.annotations.NullMarked;

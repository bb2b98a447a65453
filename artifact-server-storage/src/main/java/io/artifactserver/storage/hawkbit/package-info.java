/** hawkBit's folder of artifacts as a backend that is only read. */
@NullMarked
package io.artifactserver.storage.hawkbit;

import org.jspecify.annotations.NullMarked;

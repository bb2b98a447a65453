/** hawkBit decides what its devices may download: it is asked with the device's own token. */
@NullMarked
package io.artifactserver.rest.hawkbit;

import org.jspecify.annotations.NullMarked;

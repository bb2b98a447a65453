/** Which bytes of an artifact a device has. */
@NullMarked
package io.artifactserver.core.progress;

import org.jspecify.annotations.NullMarked;

/** The data plane: artifacts to devices, on Jetty, without a thread per transfer. */
@NullMarked
package io.artifactserver.rest.delivery;

import org.jspecify.annotations.NullMarked;

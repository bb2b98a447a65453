/**
 * Pools that show who uses a buffer after its release, and who drops an exception.
 *
 * <p>The packaged servers of the integration tests run with them, and so do tests that start a
 * Jetty of their own.
 */
@NullMarked
package io.artifactserver.rest.poison;

import org.jspecify.annotations.NullMarked;

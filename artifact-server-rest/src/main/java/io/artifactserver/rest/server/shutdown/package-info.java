/** How the server stops: signals, the delay for load balancers, the last answers. */
@NullMarked
package io.artifactserver.rest.server.shutdown;

import org.jspecify.annotations.NullMarked;

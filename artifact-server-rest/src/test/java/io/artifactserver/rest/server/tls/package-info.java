/** Tests of what no connection is needed for. */
@NullMarked
package io.artifactserver.rest.server.tls;

import org.jspecify.annotations.NullMarked;

/** Tests of what no connection is needed for. */
@NullMarked
package io.artifactserver.rest.tls;

import org.jspecify.annotations.NullMarked;

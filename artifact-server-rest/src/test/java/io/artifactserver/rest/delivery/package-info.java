/** Tests of the data plane without a socket. */
@NullMarked
package io.artifactserver.rest.delivery;

import org.jspecify.annotations.NullMarked;

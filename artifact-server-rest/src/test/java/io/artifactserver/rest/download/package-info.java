/** Tests of the data plane without a socket. */
@NullMarked
package io.artifactserver.rest.download;

import org.jspecify.annotations.NullMarked;

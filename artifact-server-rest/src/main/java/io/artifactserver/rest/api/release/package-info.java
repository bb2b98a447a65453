/** Channels in the API. */
@NullMarked
package io.artifactserver.rest.api.release;

import org.jspecify.annotations.NullMarked;

/** Requests that are the last one again, but for the range. */
@NullMarked
package io.artifactserver.rest.delivery.repeat;

import org.jspecify.annotations.NullMarked;

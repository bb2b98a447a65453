/** Waits of a download: for a turn, for a rate, for the question whether its caller still may. */
@NullMarked
package io.artifactserver.rest.delivery.pace;

import org.jspecify.annotations.NullMarked;

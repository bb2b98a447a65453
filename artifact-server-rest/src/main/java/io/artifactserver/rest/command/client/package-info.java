/**
 * The client: {@code push} and {@code pull}. Both go on where they were after whatever stopped
 * them, and end with 0 only when the SHA-256 is right. No Spring here: a command starts in less
 * than a second.
 *
 * <p>Over HTTP/1.1, because parallel parts are there to have a connection each: over HTTP/2 all of
 * them would share one, with one congestion window.
 */
@NullMarked
package io.artifactserver.rest.command.client;

import org.jspecify.annotations.NullMarked;

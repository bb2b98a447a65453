/** Limits of connections: how many there are, how long they may wait, and how they end. */
@NullMarked
package io.artifactserver.rest.server.guard;

import org.jspecify.annotations.NullMarked;

package io.artifactserver.core.limit;

/**
 * How many downloads of one repository may wait for their turn. Immutable.
 *
 * @param places of all clients together; each takes some kilobytes of memory
 * @param ofOneClient so that nobody else finds the queue full because of it
 */
public record QueueBounds(int places, int ofOneClient) {}

package io.artifactserver.rest.server.engine;

/**
 * Answers the requests of a connection that are, but for one place, one that was answered before.
 * Called by the connection's thread: never blocks. Used by one connection.
 */
public sealed interface Responder permits RangeResponder, TargetResponder {}

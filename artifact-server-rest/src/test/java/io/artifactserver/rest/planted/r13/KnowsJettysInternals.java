package io.artifactserver.rest.planted.r13;

import org.eclipse.jetty.server.internal.HttpConnection;

/** A feature that works by how Jetty happens to be built. */
record KnowsJettysInternals(HttpConnection connection) {}

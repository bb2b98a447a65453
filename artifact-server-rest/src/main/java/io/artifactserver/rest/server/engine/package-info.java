/**
 * Everything that extends or replaces a part of Jetty: connectors, end points that send files and
 * repeat answers, TLS records, streams of HTTP/2. The only room that knows Jetty's internals.
 */
@NullMarked
package io.artifactserver.rest.server.engine;

import org.jspecify.annotations.NullMarked;

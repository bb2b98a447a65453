package io.artifactserver.rest.api.artifact;

import io.artifactserver.rest.server.engine.Http2Connections;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;

/**
 * A request that may wait for its body. Thread-safe: closed before the request is over, because a
 * failure that came later would hit the next one on the connection.
 */
final class OpenRequest implements AutoCloseable {
  private final Request request;
  private boolean isOver;

  OpenRequest(Request request) {
    this.request = request;
  }

  /** Ends the wait. */
  synchronized void end() {
    if (!isOver) {
      Http2Connections.endBody(
          request, new EofException("A newer request goes on with the upload"));
    }
  }

  @Override
  public synchronized void close() {
    isOver = true;
  }
}

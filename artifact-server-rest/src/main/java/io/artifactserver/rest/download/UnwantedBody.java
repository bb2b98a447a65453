package io.artifactserver.rest.download;

import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/**
 * Throws away what a client sends with a request that has no use for it. Over HTTP/2 the pieces
 * would wait in memory, each with its buffer, for as long as the answer takes; over HTTP/1.1 they
 * wait in the client.
 */
final class UnwantedBody {
  private UnwantedBody() {}

  /** Begins to; does not block. Nobody else reads the body. */
  static void discard(Request request) {
    if (request.getConnectionMetaData().getHttpVersion().getVersion()
        >= HttpVersion.HTTP_2.getVersion()) {
      read(request);
    }
  }

  private static void read(Request request) {
    while (true) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(() -> read(request));
        return;
      }
      chunk.release();
      if (chunk.isLast()) {
        return;
      }
    }
  }
}

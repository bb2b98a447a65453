package io.artifactserver.rest.front;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/**
 * The body of a request that has no use for one. Over HTTP/2 its pieces would wait in memory, each
 * with its buffer, for as long as the answer takes: they are thrown away as they come. Over
 * HTTP/1.1 they wait in the client: what has come is thrown away, and if that is not all of it, the
 * answer says that the connection closes (RFC 9112, section 9.6).
 */
public final class UnwantedBody {
  private UnwantedBody() {}

  /** Call it before the answer begins; does not block. Nobody else reads the body. */
  public static void discard(Request request) {
    if (request.getConnectionMetaData().getHttpVersion().getVersion()
        >= HttpVersion.HTTP_2.getVersion()) {
      read(request);
    } else {
      leave(request);
    }
  }

  /** The same where the body was wanted, but perhaps not read to its end. */
  public static void leave(Request request) {
    if (request.getConnectionMetaData().getHttpVersion().getVersion()
            < HttpVersion.HTTP_2.getVersion()
        && (request.getLength() > 0
            || request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING))) {
      // If some of it cannot be thrown away at once, Jetty ends the connection and says so.
      boolean _ = request.consumeAvailable();
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

package io.artifactserver.rest.download;

import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** The end of an answer that has no body. */
final class NoBody {
  private NoBody() {}

  /**
   * Sends status and fields, and completes the callback.
   *
   * <p>To complete the callback alone would send them too, but not safely from another thread than
   * the handler's: up to 12.1.12 at least, Jetty may then end the exchange twice, once of the next
   * request on the connection (jetty.project issue 14745).
   */
  static void send(Response response, Callback callback) {
    response.write(true, BufferUtil.EMPTY_BUFFER, callback);
  }
}

package io.artifactserver.rest.front;

import java.nio.ByteBuffer;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** A request, the response to it, and who is told when that has been sent or has failed. */
public record Exchange(Request request, Response response, Callback callback) {
  /** Whether the answer has no body, whatever method a field of the request names. */
  public boolean isHead() {
    return HttpMethods.isHead(Request.unWrap(request));
  }

  /** The same, with another one who is told. */
  public Exchange telling(Callback other) {
    return new Exchange(request, response, other);
  }

  /**
   * Sends status and fields, and no body.
   *
   * <p>To complete the callback alone would send them too, but not safely from another thread than
   * the handler's: up to 12.1.12 at least, Jetty may then end the exchange twice, once of the next
   * request on the connection (jetty.project issue 14745).
   */
  public void endWithoutBody() {
    response.write(true, BufferUtil.EMPTY_BUFFER, callback);
  }

  /** Sends status and fields, and the body unless the request is a HEAD. */
  public void end(byte[] body) {
    if (isHead()) {
      endWithoutBody();
    } else {
      response.write(true, ByteBuffer.wrap(body), callback);
    }
  }

  /**
   * Ends it with an answer that tells of the failure; a response that has begun is cut off.
   *
   * <p>A callback that fails before a response has begun makes Jetty answer, but the exchange may
   * be over before Jetty has learned of it, and again it may be the next one that is ended.
   */
  public void fail(Throwable failure) {
    if (response.isCommitted()) {
      callback.failed(failure);
    } else {
      response.reset();
      Response.writeError(request, response, callback, failure);
    }
  }
}

package io.artifactserver.rest.download;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** A request, the response to it, and who is told when that has been sent or has failed. */
record Exchange(Request request, Response response, Callback callback) {
  boolean isHead() {
    return HttpMethods.isHead(request);
  }

  /** The same, with another one who is told. */
  Exchange telling(Callback other) {
    return new Exchange(request, response, other);
  }

  /** Sends status and fields, and no body. */
  void endWithoutBody() {
    NoBody.send(response, callback);
  }

  /** Ends it; a response that has begun is cut off. */
  void fail(Throwable failure) {
    callback.failed(failure);
  }
}

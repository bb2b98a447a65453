package io.artifactserver.rest.delivery;

import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Request;

/** The methods of the data plane. */
final class HttpMethods {
  /** For the Allow field. */
  static final String ALLOWED = "GET, HEAD, OPTIONS";

  private HttpMethods() {}

  static boolean isGetOrHead(Request request) {
    return HttpMethod.GET.is(request.getMethod()) || isHead(request);
  }

  static boolean isHead(Request request) {
    return HttpMethod.HEAD.is(request.getMethod());
  }
}

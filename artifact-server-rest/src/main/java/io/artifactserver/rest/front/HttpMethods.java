package io.artifactserver.rest.front;

import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Request;

/** The methods of the data plane. */
public final class HttpMethods {
  /** For the Allow field. */
  public static final String ALLOWED = "GET, HEAD, OPTIONS";

  private HttpMethods() {}

  public static boolean isGetOrHead(Request request) {
    return HttpMethod.GET.is(request.getMethod()) || isHead(request);
  }

  public static boolean isHead(Request request) {
    return HttpMethod.HEAD.is(request.getMethod());
  }
}

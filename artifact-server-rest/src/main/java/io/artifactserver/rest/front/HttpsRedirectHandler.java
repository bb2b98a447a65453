package io.artifactserver.rest.front;

import io.artifactserver.rest.access.OpenPaths;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Tells plain HTTP to come back by HTTPS, on connectors whose configuration names a secure port.
 * Health is answered there as well: what probes it trusts no certificate. Thread-safe.
 */
public final class HttpsRedirectHandler extends Handler.Wrapper {
  private static final int HTTPS_PORT = 443;

  /**
   * @param handler of what is not redirected
   */
  public HttpsRedirectHandler(Handler handler) {
    super(handler);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    HttpConfiguration configuration = request.getConnectionMetaData().getHttpConfiguration();
    String path = request.getHttpURI().getPath();
    if (configuration.getSecurePort() <= 0
        || request.isSecure()
        || (path != null && OpenPaths.isHealth(path))) {
      return super.handle(request, response, callback);
    }
    int port = configuration.getSecurePort();
    HttpURI location =
        HttpURI.build(request.getHttpURI())
            .scheme("https")
            .host(Request.getServerName(request))
            .port(port == HTTPS_PORT ? 0 : port);
    // Many a device's client knows 301 and not 308; only for other methods does it matter.
    response.setStatus(
        HttpMethods.isGetOrHead(request)
            ? HttpStatus.MOVED_PERMANENTLY_301
            : HttpStatus.PERMANENT_REDIRECT_308);
    response.getHeaders().put(HttpHeader.LOCATION, location.asString());
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, 0);
    new Exchange(request, response, callback).endWithoutBody();
    return true;
  }
}

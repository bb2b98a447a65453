package io.artifactserver.rest.upload;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;

/**
 * A request's body, asked for by the first read: with {@code Expect: 100-continue} a client sends
 * nothing before that, so whatever is refused earlier costs it no bytes (RFC 9110, section 10.1.1).
 * Used by one thread.
 */
final class RequestBodyStream extends InputStream {
  private final HttpServletRequest request;

  RequestBodyStream(HttpServletRequest request) {
    this.request = request;
  }

  @Override
  public int read() throws IOException {
    return request.getInputStream().read();
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    return request.getInputStream().read(target, offset, length);
  }
}

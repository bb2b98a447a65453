package io.artifactserver.rest.planted.r10;

import jakarta.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Response;

/** A second writer of responses. */
final class WritesResponses {
  private WritesResponses() {}

  static void write(Response response) {
    response.setStatus(200);
  }

  static void write(HttpServletResponse response) {
    response.setStatus(200);
  }
}

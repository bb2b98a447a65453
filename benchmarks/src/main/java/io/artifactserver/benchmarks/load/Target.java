package io.artifactserver.benchmarks.load;

import java.net.InetSocketAddress;
import java.net.URI;

/**
 * Where a scenario's requests go.
 *
 * @param uri {@code http} or {@code https}
 * @param authorization value of the Authorization field; empty for none
 */
record Target(URI uri, String authorization) {

  boolean tls() {
    return "https".equals(uri.getScheme());
  }

  int port() {
    return uri.getPort() >= 0 ? uri.getPort() : tls() ? 443 : 80;
  }

  InetSocketAddress address() {
    return new InetSocketAddress(uri.getHost(), port());
  }

  /** The beginning of every HTTP/1.1 request to it, without the empty line. */
  String requestHead() {
    return "GET "
        + uri.getRawPath()
        + " HTTP/1.1\r\nHost: "
        + uri.getRawAuthority()
        + "\r\n"
        + (authorization.isEmpty() ? "" : "Authorization: " + authorization + "\r\n");
  }

  @Override
  public String toString() {
    return uri.toString();
  }
}

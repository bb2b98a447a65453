package io.artifactserver.rest.access;

import io.artifactserver.rest.server.guard.Connections;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;

/** Tells where the control plane's requests come from. Thread-safe. */
public record RequestOrigin(Connections connections) {
  /** Returns the client's address: the peer's, or behind trusted proxies as they say. */
  public String address(HttpServletRequest request) {
    return connections
        .origin(ServletContextRequest.getServletContextRequest(request).getWrapped())
        .map(InetAddress::getHostAddress)
        .orElseGet(request::getRemoteAddr);
  }
}

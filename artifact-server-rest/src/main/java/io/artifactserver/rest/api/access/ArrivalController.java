package io.artifactserver.rest.api.access;

import io.artifactserver.rest.access.RequestOrigin;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Tells admins how their own request arrived, so that {@code doctor} can judge the proxies on its
 * way. Thread-safe.
 */
@RestController
@Tag(name = "Server")
public record ArrivalController(RequestOrigin origin) {
  static final String FORWARDED_FOR = "X-Forwarded-For";

  /** Shows the addresses of this request. */
  @GetMapping("/api/v1/connection")
  @Operation(
      summary = "Show how this request arrived",
      description =
          "\"address\" is the client for limits by address: \"peer\", which the connection comes"
              + " from, or behind artifact-server.connections.trusted-proxies what they say."
              + " \"forwardedFor\" has the lines of X-Forwarded-For as they came.")
  public ResponseEntity<Arrival> show(HttpServletRequest request) {
    return ResponseEntity.ok()
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .body(
            new Arrival(
                request.getRemoteAddr(),
                origin.address(request),
                Collections.list(request.getHeaders(FORWARDED_FOR))));
  }

  /**
   * The addresses of a request.
   *
   * @param peer where its connection comes from
   * @param address of the client
   * @param forwardedFor what the way says of it
   */
  public record Arrival(String peer, String address, List<String> forwardedFor) {
    public Arrival {
      forwardedFor = List.copyOf(forwardedFor);
    }
  }
}

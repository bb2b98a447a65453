package io.artifactserver.rest.api.artifact;

import io.artifactserver.rest.server.guard.UploadTurns;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpFields;

/**
 * An upload's request, as long as it runs.
 *
 * @param turn is given up while the request waits for its client
 * @param interim sends a 104 (Upload Resumption Supported) with these fields, if the client can
 *     take one now; called by the request's thread
 */
public record UploadExchange(UploadTurns.Turn turn, Consumer<HttpFields> interim) {
  /** The attribute of a request that has it. */
  public static final String ATTRIBUTE = UploadExchange.class.getName();

  /**
   * Interop versions of draft-ietf-httpbis-resumable-upload that this server speaks: draft 12 has
   * 9, and what 8 has of it is the same.
   */
  public static final Set<String> VERSIONS = Set.of("8", "9");

  static UploadExchange of(HttpServletRequest request) {
    return find(request).orElseThrow();
  }

  /** Empty for a request that brings no bytes. */
  static Optional<UploadExchange> find(HttpServletRequest request) {
    return Optional.ofNullable((UploadExchange) request.getAttribute(ATTRIBUTE));
  }
}

package io.artifactserver.rest.access.session;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/**
 * A browser that has signed in. It proves no more than the token with which somebody signed in, and
 * only for as long as that token does. Immutable.
 *
 * @param authorization what a program with the same token sends in the field of that name
 * @param caller id of the token's owner
 * @param changeToken that pages of this server send with every change, and no other site knows
 */
public record Session(String authorization, String caller, String changeToken) {
  /** The field of a request that has the change token. */
  public static final String CHANGE_FIELD = "X-CSRF-Token";

  /** Whether a request with this change token is from a page of this server. */
  public boolean isOwnChange(String sent) {
    return MessageDigest.isEqual(
        changeToken.getBytes(StandardCharsets.UTF_8), sent.getBytes(StandardCharsets.UTF_8));
  }

  /** The session by which a request came; empty if it brought its token itself. */
  public static Optional<Session> of(HttpServletRequest request) {
    return Optional.ofNullable((Session) request.getAttribute(Session.class.getName()));
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "Session[" + caller + "]";
  }
}

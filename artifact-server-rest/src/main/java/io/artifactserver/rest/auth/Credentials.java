package io.artifactserver.rest.auth;

import java.util.Optional;

/**
 * What a caller shows of itself. Immutable.
 *
 * @param authorization the field of that name; empty if there is none
 * @param certificateSubject of the verified client certificate; empty if there is none. It counts
 *     only where there is no Authorization field.
 */
public record Credentials(String authorization, String certificateSubject) {
  /** Nothing but the Authorization field. */
  public static Credentials of(Optional<String> authorization) {
    return new Credentials(authorization.orElse(""), "");
  }
}

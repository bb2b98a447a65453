package io.artifactserver.rest.auth;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a caller shows of itself, and whom it was found to be. Thread-safe; immutable but for what
 * {@link Authenticator} notes.
 */
public final class Credentials {
  /** Of a caller that shows nothing. */
  private static final Credentials NONE = new Credentials("", "");

  private final String authorization;
  private final String certificateSubject;

  /** Whoever finds it out finds the same, so the last of several may win. */
  private volatile Authentication.@Nullable Known caller;

  private Credentials(String authorization, String certificateSubject) {
    this.authorization = authorization;
    this.certificateSubject = certificateSubject;
  }

  /**
   * Of a caller without a client certificate, or with one that does not count.
   *
   * @param authorization the field of that name; empty if there is none
   */
  public static Credentials of(String authorization) {
    return authorization.isEmpty() ? NONE : new Credentials(authorization, "");
  }

  /** As {@link #of(String)}. */
  public static Credentials of(Optional<String> authorization) {
    return of(authorization.orElse(""));
  }

  /**
   * Of a caller without an Authorization field.
   *
   * @param subject of the verified client certificate; empty if there is none
   */
  public static Credentials ofCertificate(String subject) {
    return subject.isEmpty() ? NONE : new Credentials("", subject);
  }

  /** The field of that name; empty if there is none. */
  public String authorization() {
    return authorization;
  }

  /** Of the verified client certificate; empty if there is none, or an Authorization field. */
  public String certificateSubject() {
    return certificateSubject;
  }

  /** Whom the Authorization field was found to be of; null if nobody has looked or found. */
  Authentication.@Nullable Known caller() {
    return caller;
  }

  void noteCaller(Authentication.Known known) {
    caller = known;
  }
}

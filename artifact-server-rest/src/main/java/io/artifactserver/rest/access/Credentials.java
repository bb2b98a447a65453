package io.artifactserver.rest.access;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.SignedLink;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The credentials that a caller shows, and the identity that they were found to prove. Thread-safe;
 * immutable but for what {@link Authenticator} notes.
 */
public final class Credentials {
  /** A caller that shows nothing. */
  private static final Credentials NONE = new Credentials("", "", null);

  private final String authorization;
  private final String certificateSubject;
  private final @Nullable SignedLink link;

  /** All who find it out find the same, so the last of several may win. */
  private volatile @Nullable Found found;

  private Credentials(String authorization, String certificateSubject, @Nullable SignedLink link) {
    this.authorization = authorization;
    this.certificateSubject = certificateSubject;
    this.link = link;
  }

  /**
   * A caller without a client certificate, or with one that does not count.
   *
   * @param authorization the field of that name; empty if there is none
   */
  public static Credentials of(String authorization) {
    return authorization.isEmpty() ? NONE : new Credentials(authorization, "", null);
  }

  /** As {@link #of(String)}. */
  public static Credentials of(Optional<String> authorization) {
    return of(authorization.orElse(""));
  }

  /**
   * A caller without an Authorization field.
   *
   * @param subject of the verified client certificate; empty if there is none
   */
  public static Credentials ofCertificate(String subject) {
    return subject.isEmpty() ? NONE : new Credentials("", subject, null);
  }

  /**
   * A request that carries a signed link. Nothing else that it shows counts.
   *
   * @param link that was verified for what the request asks for
   */
  public static Credentials ofLink(SignedLink link) {
    return new Credentials("", "", link);
  }

  /** The field of that name; empty if there is none. */
  public String authorization() {
    return authorization;
  }

  /**
   * The names of the verified client certificate; empty if there is none, or an Authorization
   * field.
   */
  public String certificateSubject() {
    return certificateSubject;
  }

  /** The signed link; null if there is none. */
  public @Nullable SignedLink link() {
    return link;
  }

  /** Whether they were found good before. The token may have been taken away since. */
  public boolean wereGood() {
    return found != null;
  }

  /** The owner of the credentials; null if nobody has looked or found one. */
  @Nullable Found found() {
    return found;
  }

  void note(Found caller) {
    found = caller;
  }

  /** The token that was good, and its bearer. */
  record Found(AccessToken token, Authentication.Known caller) {}
}

package io.artifactserver.rest.api.events;

import io.artifactserver.core.access.Caller;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.CurrentCaller;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.springframework.http.HttpHeaders;

/**
 * A client that is told of something as it happens. Immutable.
 *
 * @param caller id of the client's token
 * @param mayFollow whether the client may still be told; may block
 * @param leave ends the request of a client that has gone: Spring leaves that to the container,
 *     which has no reason to look at it
 */
public record Follower(String caller, BooleanSupplier mayFollow, Runnable leave) {
  /**
   * The client of a request. Its token may be revoked, or expire, while it follows.
   *
   * @param mayFollow whether the owner of the token may be told
   */
  public static Follower of(
      HttpServletRequest request, Authenticator authenticator, Predicate<Caller> mayFollow) {
    Credentials credentials =
        Credentials.of(Optional.ofNullable(request.getHeader(HttpHeaders.AUTHORIZATION)));
    return new Follower(
        CurrentCaller.find().map(Caller::id).orElse(""),
        () ->
            authenticator.tryToAuthenticate(credentials, null)
                    instanceof Authentication.Known(Caller caller)
                && mayFollow.test(caller),
        () -> leave(request));
  }

  /** The same, who may be told only while something else holds, too. */
  public Follower asLongAs(BooleanSupplier condition) {
    return new Follower(caller, () -> condition.getAsBoolean() && mayFollow.getAsBoolean(), leave);
  }

  private static void leave(HttpServletRequest request) {
    try {
      request.getAsyncContext().complete();
    } catch (IllegalStateException e) {
      // It has ended already.
    }
  }
}

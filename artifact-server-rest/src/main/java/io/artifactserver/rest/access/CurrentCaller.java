package io.artifactserver.rest.access;

import io.artifactserver.core.access.Caller;
import java.util.Optional;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/** The caller of the control plane's request that this thread answers. */
public final class CurrentCaller {
  private CurrentCaller() {}

  /** The caller, if it is known. */
  public static Optional<Caller> find() {
    Authentication known = SecurityContextHolder.getContext().getAuthentication();
    return known != null && known.getPrincipal() instanceof Caller caller
        ? Optional.of(caller)
        : Optional.empty();
  }

  /** The caller, where access rules let nobody else in. */
  public static Caller get() {
    return find()
        .orElseThrow(() -> new IllegalStateException("Nobody is known to send this request"));
  }
}

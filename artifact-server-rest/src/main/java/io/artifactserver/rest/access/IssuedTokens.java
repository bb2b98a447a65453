package io.artifactserver.rest.access;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.catalog.Reach;
import java.util.Optional;

/** Recognises callers by tokens that an identity provider has signed. Thread-safe. */
public interface IssuedTokens {
  /** Whether the text has the form of such a token. No token of this server has it. No I/O. */
  boolean hasForm(String token);

  /**
   * Returns the caller whose token it is.
   *
   * @param reach in memory are those that were verified a short time ago and have not expired; else
   *     the token is verified, and the provider may be asked for its keys, which blocks for some
   *     seconds
   * @return empty if the token is not good, or not known to be
   * @throws IssuerUnavailableException if the provider's keys cannot be had
   */
  Optional<Caller> find(String token, Reach reach);
}

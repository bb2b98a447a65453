package io.artifactserver.rest.access;

import io.artifactserver.core.access.Caller;
import java.util.Optional;

/** Recognises callers by tokens that an identity provider has signed. Thread-safe. */
public interface IssuedTokens {
  /** Whether the text has the form of such a token. No token of this server has it. No I/O. */
  boolean hasForm(String token);

  /** Returns the caller whose token was verified a short time ago and has not expired. No I/O. */
  Optional<Caller> peek(String token);

  /**
   * Verifies a token. May ask the provider for its keys, and blocks for some seconds then.
   *
   * @return empty if the token is not good
   * @throws IssuerUnavailableException if the provider's keys cannot be had
   */
  Optional<Caller> verify(String token);
}

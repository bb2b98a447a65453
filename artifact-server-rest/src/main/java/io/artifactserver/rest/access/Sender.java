package io.artifactserver.rest.access;

import org.jspecify.annotations.Nullable;

/**
 * The account that a request's lookups count for. A caller with a good token has one of its own,
 * and so never pays for what others send from the same address. Immutable.
 *
 * @param account shared by the requests that count together; null if nobody knows whose they are
 * @param isKnown whether memory says that the credentials are good
 * @param isThrottled whether so many wrong secrets came from the address that the database is not
 *     asked about this one
 */
public record Sender(@Nullable Object account, boolean isKnown, boolean isThrottled) {
  /** Returns the account of all whom nobody knows at an address; null if that says nothing. */
  public static Sender stranger(@Nullable Object address) {
    return new Sender(address, false, false);
  }

  /** Returns the account of a caller whose credentials are good. */
  public static Sender known(Object account) {
    return new Sender(account, true, false);
  }
}

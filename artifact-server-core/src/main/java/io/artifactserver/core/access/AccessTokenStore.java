package io.artifactserver.core.access;

import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.catalog.Reach;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps tokens. Thread-safe. Every method asks the database and may block, unless it says that it
 * does no I/O; {@link io.artifactserver.core.catalog.CatalogUnavailableException} (unchecked) says
 * that it could not.
 */
public interface AccessTokenStore {
  /**
   * Whether memory says that the database has a token with this id and this secret. True is almost
   * always right; false says nothing. No I/O.
   */
  default boolean knows(TokenDigest digest) {
    return false;
  }

  /** The database turned out not to have a token that {@link #knows} was true for. No I/O. */
  default void forget(TokenDigest digest) {}

  /** The token, if there is one that is not revoked. */
  Optional<AccessToken> find(String id);

  /** As the other method, as far as it may go. */
  default Optional<AccessToken> find(String id, Reach reach) {
    return reach == Reach.DATABASE ? find(id) : Optional.empty();
  }

  /**
   * Returns a page of all tokens that are not revoked, by creation; those that expired too.
   *
   * @param after every token comes behind it; {@link Position#START} for the first page
   */
  List<AccessToken> list(Position after, int limit);

  /** Returns all admins' tokens that are not revoked; those that expired too. */
  List<AccessToken> admins();

  /**
   * Returns a page of all tokens that are not revoked, by their ids.
   *
   * @param after the last id of the page before; empty for the first page
   */
  List<TokenDigest> digests(String after, int limit);

  /**
   * Returns the tokens that were added within a time, by the database's clock, and are not revoked.
   */
  List<TokenDigest> digestsSince(Duration age);

  /** When these tokens were last used, by id, as far as {@link #used} told; absent if never. */
  Map<String, Instant> lastUses(Collection<String> ids);

  /**
   * Keeps when tokens were used.
   *
   * @param uses by id; unknown ids are ignored
   */
  void used(Map<String, Instant> uses);

  /**
   * Gives a token other labels.
   *
   * @return false if there is no such token
   */
  boolean label(String id, Labels labels);

  /**
   * Adds a token that takes the place of another one, which stays good for a while.
   *
   * @param id of the other one
   * @param until when the other one expires, unless it does so before
   * @return false if there is no such token
   */
  boolean replace(String id, AccessToken replacement, Instant until);

  /**
   * Adds a token with a new id, or with that of a revoked one: an operator may let a device's
   * certificate in again.
   */
  void add(AccessToken token);

  /** Whether there was a token with this id that was revoked. It stays on record. */
  boolean isRevoked(String id);

  /**
   * Revokes a token, for good.
   *
   * @return whether there was one
   */
  boolean revoke(String id);

  /**
   * A place in the list of tokens. Immutable.
   *
   * @param createdAt when the token there was made, in whole microseconds
   * @param id tells tokens of the same moment apart
   */
  record Position(Instant createdAt, String id) {
    /** Before all tokens. */
    public static final Position START = new Position(Instant.EPOCH, "");

    /** The place of a token. */
    public static Position of(AccessToken token) {
      return new Position(token.createdAt(), token.id());
    }
  }
}

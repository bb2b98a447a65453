package io.artifactserver.core.access;

import io.artifactserver.core.catalog.Labels;
import java.time.Instant;

/**
 * The stored part of a token: enough to recognise it, not enough to use it. Immutable.
 *
 * @param id the public part, by which the token is looked up
 * @param words what an operator says of it
 * @param role of its bearer
 * @param scope where
 * @param secretDigest SHA-256 of the secret part, lower-case hexadecimal. The secret has 256 random
 *     bits, so a slow password hash would add nothing but load.
 * @param createdAt when it was made
 * @param expiresAt first instant at which it is no longer good; {@link #NEVER} if there is none
 */
public record AccessToken(
    String id,
    TokenWords words,
    Role role,
    Scope scope,
    String secretDigest,
    Instant createdAt,
    Instant expiresAt) {
  /** For a token without an expiry. */
  public static final Instant NEVER = Instant.MAX;

  /** Whether it is no longer good. */
  public boolean isExpired(Instant now) {
    return !now.isBefore(expiresAt);
  }

  /** By which it is recognised. */
  public TokenDigest tokenDigest() {
    return new TokenDigest(id, secretDigest);
  }

  /** Its bearer. */
  public Caller caller() {
    return new Caller(id, words.name(), role, scope, words.labels());
  }

  /** The operator's own words for it. */
  public String name() {
    return words.name();
  }

  /** The same token, of which an operator says something else. */
  public AccessToken with(TokenWords newWords, Scope newScope, Instant newExpiry) {
    return new AccessToken(id, newWords, role, newScope, secretDigest, createdAt, newExpiry);
  }

  /** The same token with other labels. */
  public AccessToken with(Labels labels) {
    return with(words.with(labels), scope, expiresAt);
  }
}

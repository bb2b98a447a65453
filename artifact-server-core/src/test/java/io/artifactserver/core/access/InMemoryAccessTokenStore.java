package io.artifactserver.core.access;

import io.artifactserver.core.catalog.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Keeps tokens in memory, in the order in which they came. Used by one thread. */
public final class InMemoryAccessTokenStore implements AccessTokenStore {
  private static final Comparator<Position> BY_CREATION =
      Comparator.comparing(Position::createdAt).thenComparing(Position::id);

  private final Map<String, AccessToken> tokens = new LinkedHashMap<>();
  private final Set<String> revoked = new HashSet<>();

  @Override
  public Optional<AccessToken> find(String id) {
    return Optional.ofNullable(tokens.get(id));
  }

  @Override
  public List<AccessToken> list(Position after, int limit) {
    return tokens.values().stream()
        .filter(token -> BY_CREATION.compare(Position.of(token), after) > 0)
        .sorted(Comparator.comparing(Position::of, BY_CREATION))
        .limit(limit)
        .toList();
  }

  @Override
  public List<AccessToken> admins() {
    return tokens.values().stream().filter(token -> token.role() == Role.ADMIN).toList();
  }

  @Override
  public List<TokenDigest> digests(String after, int limit) {
    return tokens.values().stream()
        .map(AccessToken::tokenDigest)
        .filter(token -> token.id().compareTo(after) > 0)
        .sorted(Comparator.comparing(TokenDigest::id))
        .limit(limit)
        .toList();
  }

  @Override
  public List<TokenDigest> digestsSince(Duration age) {
    return digests("", Integer.MAX_VALUE);
  }

  @Override
  public Map<String, Instant> lastUses(Collection<String> ids) {
    return Map.of();
  }

  @Override
  public void used(Map<String, Instant> uses) {
    // Nobody asks for them.
  }

  @Override
  public boolean label(String id, Labels labels) {
    return tokens.computeIfPresent(id, (_, token) -> token.with(labels)) != null;
  }

  @Override
  public boolean replace(String id, AccessToken replacement, Instant until) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void add(AccessToken token) {
    revoked.remove(token.id());
    tokens.put(token.id(), token);
  }

  @Override
  public boolean isRevoked(String id) {
    return revoked.contains(id);
  }

  @Override
  public boolean revoke(String id) {
    return tokens.remove(id) != null && revoked.add(id);
  }
}

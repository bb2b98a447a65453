package io.artifactserver.storage.catalog;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.storage.catalog.AccessTokenRows.LastUse;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The tokens in PostgreSQL. Immutable, thread-safe. */
final class JpaAccessTokenStore implements AccessTokenStore {
  private final CatalogTransactions transactions;
  private final AccessTokenRows tokens;

  JpaAccessTokenStore(CatalogTransactions transactions, AccessTokenRows tokens) {
    this.transactions = transactions;
    this.tokens = tokens;
  }

  @Override
  public Optional<AccessToken> find(String id) {
    return isId(id)
        ? transactions.read(() -> tokens.find(id).map(AccessTokenRow::toAccessToken))
        : Optional.empty();
  }

  @Override
  public boolean isRevoked(String id) {
    return isId(id) && transactions.read(() -> tokens.countRevoked(id)) == 1;
  }

  /** PostgreSQL takes no NUL character, so no token's id has one. */
  private static boolean isId(String id) {
    return id.indexOf('\0') < 0;
  }

  @Override
  public List<AccessToken> list() {
    return transactions.read(
        () -> tokens.list().stream().map(AccessTokenRow::toAccessToken).toList());
  }

  @Override
  public void add(AccessToken token) {
    transactions.write(_ -> insert(token));
  }

  private AccessToken insert(AccessToken token) {
    tokens.deleteRevoked(token.id());
    tokens.insert(
        token.id(),
        token.name(),
        token.description(),
        token.role().name(),
        token.secretDigest(),
        token.createdAt().truncatedTo(ChronoUnit.MICROS),
        token.expiresAt().equals(AccessToken.NEVER)
            ? null
            : token.expiresAt().truncatedTo(ChronoUnit.MICROS));
    token.scope().repositories().forEach(name -> tokens.insertRepository(token.id(), name));
    token.scope().paths().forEach(prefix -> tokens.insertPath(token.id(), prefix));
    return token;
  }

  @Override
  public boolean replace(String id, AccessToken replacement, Instant until) {
    return isId(id)
        && transactions.write(_ -> {
          boolean isThere = tokens.expire(id, until.truncatedTo(ChronoUnit.MICROS)) == 1;
          if (isThere) {
            insert(replacement);
          }
          return isThere;
        });
  }

  @Override
  public Map<String, Instant> lastUses() {
    return transactions.read(
        () -> tokens.lastUses().stream().collect(Collectors.toMap(LastUse::getId, LastUse::getAt)));
  }

  @Override
  public void used(Map<String, Instant> uses) {
    if (!uses.isEmpty()) {
      transactions.write(_ -> {
        // Always in the same order, or two servers could wait for each other's rows.
        new TreeMap<>(uses).forEach((id, at) -> tokens.used(id, at.truncatedTo(ChronoUnit.MICROS)));
        return uses;
      });
    }
  }

  @Override
  public boolean revoke(String id) {
    return isId(id) && transactions.write(_ -> tokens.revoke(id)) == 1;
  }
}

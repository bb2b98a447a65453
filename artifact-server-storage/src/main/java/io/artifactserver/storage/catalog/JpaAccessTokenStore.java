package io.artifactserver.storage.catalog;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

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
    transactions.write(_ -> {
      tokens.deleteRevoked(token.id());
      tokens.insert(
          token.id(),
          token.name(),
          token.role().name(),
          token.secretDigest(),
          token.createdAt().truncatedTo(ChronoUnit.MICROS));
      token.repositories().forEach(name -> tokens.insertRepository(token.id(), name));
      return token;
    });
  }

  @Override
  public boolean revoke(String id) {
    return isId(id) && transactions.write(_ -> tokens.revoke(id)) == 1;
  }
}

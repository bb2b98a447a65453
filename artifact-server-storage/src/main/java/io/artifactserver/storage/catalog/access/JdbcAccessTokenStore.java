package io.artifactserver.storage.catalog.access;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import io.artifactserver.core.access.TokenDigest;
import io.artifactserver.core.access.TokenWords;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tokens in PostgreSQL. Immutable, thread-safe. */
public record JdbcAccessTokenStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements AccessTokenStore {
  /** With the scope, in one statement. */
  private static final String SELECT =
      """
      select id, name, description, labels, role, secret_digest, created_at, expires_at,
        array(select repository from access_token_repository where token_id = id) as repositories,
        array(select prefix from access_token_path where token_id = id) as paths
      from access_token
      where revoked_at is null
      """;

  @Override
  public Optional<AccessToken> find(String id) {
    return isId(id)
        ? transactions.read(() ->
            jdbc.sql(SELECT + "and id = :id")
                .param("id", id)
                .query((row, _) -> token(row))
                .optional())
        : Optional.empty();
  }

  @Override
  public boolean isRevoked(String id) {
    return isId(id)
        && transactions.read(() ->
            jdbc.sql(
                    """
                    select exists (
                      select from access_token where id = :id and revoked_at is not null)
                    """)
                .param("id", id)
                .query((row, _) -> row.getBoolean(1))
                .single());
  }

  /** PostgreSQL takes no NUL character, so no token's id has one. */
  private static boolean isId(String id) {
    return id.indexOf('\0') < 0;
  }

  @Override
  public List<AccessToken> list(Position after, int limit) {
    return transactions.read(() ->
        jdbc.sql(
                SELECT
                    + """
                    and (created_at, id) > (:createdAt, :id) order by created_at, id limit :limit
                    """)
            .param("createdAt", timestamp(after.createdAt()))
            .param("id", after.id())
            .param("limit", limit)
            .query((row, _) -> token(row))
            .list());
  }

  @Override
  public List<AccessToken> admins() {
    return transactions.read(() ->
        jdbc.sql(SELECT + "and role = :role order by created_at, id")
            .param("role", Role.ADMIN.name())
            .query((row, _) -> token(row))
            .list());
  }

  @Override
  public List<TokenDigest> digests(String after, int limit) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select id, secret_digest from access_token
                where revoked_at is null and id > :after order by id limit :limit
                """)
            .param("after", after)
            .param("limit", limit)
            .query(JdbcAccessTokenStore::digest)
            .list());
  }

  @Override
  public List<TokenDigest> digestsSince(Duration age) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select id, secret_digest from access_token
                where revoked_at is null and added_at > now() - :seconds * interval '1 second'
                """)
            .param("seconds", age.toSeconds())
            .query(JdbcAccessTokenStore::digest)
            .list());
  }

  private static TokenDigest digest(ResultSet row, int number) throws SQLException {
    return new TokenDigest(row.getString(1), row.getString(2));
  }

  private static AccessToken token(ResultSet row) throws SQLException {
    @Nullable Timestamp expiresAt = row.getTimestamp("expires_at");
    return new AccessToken(
        row.getString("id"),
        new TokenWords(
            row.getString("name"),
            row.getString("description"),
            Labels.parse(List.of((String[]) row.getArray("labels").getArray()))),
        Role.valueOf(row.getString("role")),
        new Scope(names(row, "repositories"), names(row, "paths")),
        row.getString("secret_digest"),
        row.getTimestamp("created_at").toInstant(),
        expiresAt == null ? AccessToken.NEVER : expiresAt.toInstant());
  }

  private static Set<String> names(ResultSet row, String column) throws SQLException {
    return Set.of((String[]) row.getArray(column).getArray());
  }

  @Override
  public void add(AccessToken token) {
    transactions.write(_ -> insert(token));
  }

  private boolean insert(AccessToken token) {
    jdbc.sql("delete from access_token where id = :id and revoked_at is not null")
        .param("id", token.id())
        .update();
    jdbc.sql(
            """
            insert into access_token
              (id, name, description, labels, role, secret_digest, created_at, expires_at)
            values
              (:id, :name, :description, :labels, :role, :secretDigest, :createdAt, :expiresAt)
            """)
        .param("id", token.id())
        .param("name", token.name())
        .param("description", token.words().description())
        .param("labels", array(token.words().labels()))
        .param("role", token.role().name())
        .param("secretDigest", token.secretDigest())
        .param("createdAt", timestamp(token.createdAt()))
        .param(
            "expiresAt",
            token.expiresAt().equals(AccessToken.NEVER) ? null : timestamp(token.expiresAt()))
        .update();
    insert(
        "insert into access_token_repository (token_id, repository) select :id, unnest(:names)",
        token.id(),
        token.scope().repositories());
    insert(
        "insert into access_token_path (token_id, prefix) select :id, unnest(:names)",
        token.id(),
        token.scope().paths());
    return true;
  }

  private static String[] array(Labels labels) {
    return labels.texts().toArray(String[]::new);
  }

  @Override
  public boolean label(String id, Labels labels) {
    return isId(id)
        && transactions.write(_ ->
            jdbc.sql(
                    """
                    update access_token set labels = :labels
                    where id = :id and revoked_at is null
                    """)
                .param("labels", array(labels))
                .param("id", id)
                .update())
            == 1;
  }

  private void insert(String statement, String id, Set<String> names) {
    jdbc.sql(statement).param("id", id).param("names", names.toArray(String[]::new)).update();
  }

  @Override
  public boolean replace(String id, AccessToken replacement, Instant until) {
    return isId(id)
        && transactions.write(_ ->
            jdbc.sql(
                            """
                            update access_token set expires_at = least(expires_at, :until)
                            where id = :id and revoked_at is null
                            """)
                        .param("until", timestamp(until))
                        .param("id", id)
                        .update()
                    == 1
                && insert(replacement));
  }

  @Override
  public Map<String, Instant> lastUses(Collection<String> ids) {
    return transactions.read(() -> {
      Map<String, Instant> uses = new HashMap<>();
      jdbc.sql(
              """
              select id, last_used_at from access_token
              where id = any(:ids) and last_used_at is not null and revoked_at is null
              """)
          .param("ids", ids.toArray(String[]::new))
          .query(row -> {
            uses.put(row.getString(1), row.getTimestamp(2).toInstant());
          });
      return uses;
    });
  }

  @Override
  public void used(Map<String, Instant> uses) {
    if (!uses.isEmpty()) {
      transactions.write(_ -> {
        // Always in the same order, or two servers could wait for each other's rows.
        new TreeMap<>(uses)
            .forEach((id, at) ->
                jdbc.sql(
                        """
                        update access_token set last_used_at = greatest(last_used_at, :at)
                        where id = :id
                        """)
                    .param("at", timestamp(at))
                    .param("id", id)
                    .update());
        return uses;
      });
    }
  }

  @Override
  public boolean revoke(String id) {
    return isId(id)
        && transactions.write(_ ->
            jdbc.sql(
                    """
                    update access_token set revoked_at = now()
                    where id = :id and revoked_at is null
                    """)
                .param("id", id)
                .update())
            == 1;
  }

  /** Cut, because PostgreSQL would round. */
  private static Timestamp timestamp(Instant instant) {
    return Timestamp.from(instant.truncatedTo(ChronoUnit.MICROS));
  }
}

package io.artifactserver.storage.catalog.limit;

import io.artifactserver.core.limit.LimitStore;
import io.artifactserver.core.limit.NamedLimit;
import io.artifactserver.core.limit.Network;
import io.artifactserver.core.limit.RepositoryLimits;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The limits in PostgreSQL, where null is no limit. Immutable, thread-safe. */
public record JdbcLimitStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements LimitStore {
  @Override
  public Map<String, RepositoryLimits> all() {
    return transactions.read(() -> {
      Map<String, RepositoryLimits> all = new HashMap<>();
      jdbc.sql(
              """
              select r.name, coalesce(bytes_per_second, :none), coalesce(concurrent_downloads, :none)
              from repository_limits join repository r on r.id = repository_id
              where bytes_per_second is not null or concurrent_downloads is not null
              """)
          .param("none", RepositoryLimits.NO_LIMIT)
          .query(row -> {
            all.put(row.getString(1), new RepositoryLimits(row.getLong(2), row.getLong(3)));
          });
      return all;
    });
  }

  @Override
  public boolean put(String repository, RepositoryLimits limits) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                insert into repository_limits (repository_id, bytes_per_second, concurrent_downloads)
                select id, cast(:rate as bigint), cast(:downloads as bigint)
                from repository where name = :name
                on conflict (repository_id)
                do update set bytes_per_second = excluded.bytes_per_second,
                  concurrent_downloads = excluded.concurrent_downloads
                """)
            .param("rate", limit(limits.bytesPerSecond()))
            .param("downloads", limit(limits.concurrentDownloads()))
            .param("name", repository)
            .update())
        == 1;
  }

  @Override
  public List<NamedLimit> named() {
    return transactions.read(() ->
        jdbc.sql("select name, bytes_per_second, addresses, roles, callers from named_limit")
            .query((row, _) ->
                new NamedLimit(
                    row.getString(1),
                    row.getLong(2),
                    texts(row, 3).stream().map(Network::parse).toList(),
                    texts(row, 4),
                    texts(row, 5)))
            .list());
  }

  @Override
  public void put(NamedLimit limit) {
    var _ =
        transactions.write(_ ->
            jdbc.sql(
                    """
                    insert into named_limit (name, bytes_per_second, addresses, roles, callers)
                    values (:name, :rate, :addresses, :roles, :callers)
                    on conflict (name)
                    do update set bytes_per_second = excluded.bytes_per_second,
                      addresses = excluded.addresses, roles = excluded.roles,
                      callers = excluded.callers
                    """)
                .param("name", limit.name())
                .param("rate", limit.bytesPerSecond())
                .param(
                    "addresses",
                    limit.addresses().stream().map(Network::toString).toArray(String[]::new))
                .param("roles", limit.roles().toArray(String[]::new))
                .param("callers", limit.callers().toArray(String[]::new))
                .update());
  }

  @Override
  public void delete(String name) {
    var _ =
        transactions.write(_ ->
            jdbc.sql("delete from named_limit where name = :name").param("name", name).update());
  }

  private static List<String> texts(ResultSet row, int column) throws SQLException {
    return List.of((String[]) row.getArray(column).getArray());
  }

  private static @Nullable Long limit(long number) {
    return number == RepositoryLimits.NO_LIMIT ? null : number;
  }
}

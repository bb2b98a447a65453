package io.artifactserver.storage.catalog.limit;

import io.artifactserver.core.limit.QuotaStore;
import io.artifactserver.core.limit.RepositoryQuota;
import io.artifactserver.core.limit.RepositoryUsage;
import io.artifactserver.storage.catalog.CatalogTransactions;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The quotas in PostgreSQL, where null is no limit. Immutable, thread-safe. */
public record JdbcQuotaStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements QuotaStore {
  @Override
  public RepositoryQuota quota(String repository) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select coalesce(bytes, :none), coalesce(artifacts, :none)
                from repository_quota join repository r on r.id = repository_id
                where r.name = :name
                """)
            .param("none", RepositoryQuota.NO_LIMIT)
            .param("name", repository)
            .query((row, _) -> new RepositoryQuota(row.getLong(1), row.getLong(2)))
            .optional()
            .orElse(RepositoryQuota.NONE));
  }

  @Override
  public boolean put(String repository, RepositoryQuota quota) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                insert into repository_quota (repository_id, bytes, artifacts)
                select id, cast(:bytes as bigint), cast(:artifacts as bigint)
                from repository where name = :name
                on conflict (repository_id)
                do update set bytes = excluded.bytes, artifacts = excluded.artifacts
                """)
            .param("bytes", limit(quota.bytes()))
            .param("artifacts", limit(quota.artifacts()))
            .param("name", repository)
            .update())
        == 1;
  }

  @Override
  public RepositoryUsage usage(String repository) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select coalesce(sum(b.length), 0), count(*)
                from artifact a
                join blob b on b.id = a.blob_id
                join repository r on r.id = a.repository_id
                where r.name = :name
                """)
            .param("name", repository)
            .query((row, _) -> new RepositoryUsage(row.getLong(1), row.getLong(2)))
            .single());
  }

  private static @Nullable Long limit(long number) {
    return number == RepositoryQuota.NO_LIMIT ? null : number;
  }
}

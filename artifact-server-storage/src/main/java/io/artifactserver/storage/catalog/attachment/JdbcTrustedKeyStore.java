package io.artifactserver.storage.catalog.attachment;

import io.artifactserver.core.attachment.TrustedKey;
import io.artifactserver.core.attachment.TrustedKeyStore;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The keys that repositories trust, in PostgreSQL. Immutable, thread-safe. */
public record JdbcTrustedKeyStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements TrustedKeyStore {
  @Override
  public Map<String, List<TrustedKey>> all() {
    return transactions.read(() ->
        jdbc
            .sql(
                """
                select r.name as repository, k.name, k.format, k.key
                from trusted_key k join repository r on r.id = k.repository_id
                order by r.name, k.name
                """)
            .query((row, _) ->
                Map.entry(
                    row.getString("repository"),
                    new TrustedKey(
                        row.getString("name"),
                        TrustedKey.Format.valueOf(row.getString("format")),
                        row.getString("key"))))
            .list()
            .stream()
            .collect(
                Collectors.groupingBy(
                    Map.Entry::getKey,
                    Collectors.mapping(Map.Entry::getValue, Collectors.toList()))));
  }

  @Override
  public boolean put(String repository, List<TrustedKey> keys) {
    return transactions.write(_ -> {
      Optional<Long> found =
          jdbc.sql("select id from repository where name = :name for update")
              .param("name", repository)
              .query((row, _) -> row.getLong(1))
              .optional();
      found.ifPresent(id -> {
        jdbc.sql("delete from trusted_key where repository_id = :id").param("id", id).update();
        keys.forEach(key -> insert(id, key));
      });
      return found.isPresent();
    });
  }

  private void insert(long repositoryId, TrustedKey key) {
    jdbc.sql(
            """
            insert into trusted_key (repository_id, name, format, key)
            values (:id, :name, :format, :key)
            """)
        .param("id", repositoryId)
        .param("name", key.name())
        .param("format", key.format().name())
        .param("key", key.key())
        .update();
  }
}

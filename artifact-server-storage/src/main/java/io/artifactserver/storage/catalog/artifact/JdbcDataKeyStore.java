package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The wrapped data keys in PostgreSQL. Immutable, thread-safe. */
public record JdbcDataKeyStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements DataKeyStore {
  @Override
  public void put(WrappedDataKey dataKey) {
    transactions.write(_ ->
        jdbc.sql(
                """
                insert into data_key (blob_key, wrapped, ring_key_id, created_at)
                values (:blobKey, :wrapped, :ringKeyId, now())
                """)
            .param("blobKey", dataKey.blobKey())
            .param("wrapped", dataKey.wrapped())
            .param("ringKeyId", dataKey.ringKeyId())
            .update());
  }

  @Override
  public Optional<WrappedDataKey> find(String blobKey) {
    return transactions.read(() ->
        jdbc.sql("select blob_key, wrapped, ring_key_id from data_key where blob_key = :blobKey")
            .param("blobKey", blobKey)
            .query((row, _) -> dataKey(row))
            .optional());
  }

  @Override
  public List<WrappedDataKey> notWrappedBy(long ringKeyId, String after, int limit) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select blob_key, wrapped, ring_key_id from data_key
                where ring_key_id <> :ringKeyId and blob_key > :after
                order by blob_key
                limit :limit
                """)
            .param("ringKeyId", ringKeyId)
            .param("after", after)
            .param("limit", limit)
            .query((row, _) -> dataKey(row))
            .list());
  }

  private static WrappedDataKey dataKey(ResultSet row) throws SQLException {
    return new WrappedDataKey(row.getString(1), row.getBytes(2), row.getLong(3));
  }

  @Override
  public boolean replace(WrappedDataKey before, WrappedDataKey after) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                update data_key set wrapped = :after, ring_key_id = :ringKeyId
                where blob_key = :blobKey and wrapped = :before
                """)
            .param("after", after.wrapped())
            .param("ringKeyId", after.ringKeyId())
            .param("blobKey", before.blobKey())
            .param("before", before.wrapped())
            .update())
        == 1;
  }

  @Override
  public void delete(String blobKey) {
    transactions.write(_ ->
        jdbc.sql("delete from data_key where blob_key = :blobKey")
            .param("blobKey", blobKey)
            .update());
  }

  @Override
  public int deleteOrphans(Instant instant) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                delete from data_key k
                where k.created_at < :instant
                  and not exists (select from blob b where b.blob_key = k.blob_key)
                  and not exists (select from derived d where d.blob_key = k.blob_key)
                  and not exists (select from unfinished_upload u where u.blob_key = k.blob_key)
                  and not exists (
                    select from webhook w where k.blob_key in (w.secret_key, w.former_key))
                """)
            .param("instant", Timestamp.from(instant))
            .update());
  }

  @Override
  public Map<Long, Long> countByRingKey() {
    return transactions.read(() -> {
      Map<Long, Long> counts = new HashMap<>();
      jdbc.sql("select ring_key_id, count(*) from data_key group by ring_key_id")
          .query(row -> {
            counts.put(row.getLong(1), row.getLong(2));
          });
      return counts;
    });
  }
}

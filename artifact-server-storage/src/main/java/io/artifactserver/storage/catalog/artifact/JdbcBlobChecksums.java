package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobChecksums;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The checksums in PostgreSQL. Immutable, thread-safe. */
public record JdbcBlobChecksums(CatalogTransactions transactions, JdbcClient jdbc)
    implements BlobChecksums {
  @Override
  public void put(String blobKey, byte[] checksums) {
    transactions.write(_ ->
        jdbc.sql(
                """
                insert into blob_checksum (blob_key, crc32c) values (:blobKey, :crc32c)
                on conflict (blob_key) do update set crc32c = excluded.crc32c
                """)
            .param("blobKey", blobKey)
            .param("crc32c", checksums)
            .update());
  }

  @Override
  public Optional<byte[]> find(String blobKey) {
    return transactions.read(() ->
        jdbc.sql("select crc32c from blob_checksum where blob_key = :blobKey")
            .param("blobKey", blobKey)
            .query((row, _) -> row.getBytes(1))
            .optional());
  }

  @Override
  public List<Unchecked> missing(String after, int limit) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select b.blob_key, b.length, b.sha256 from blob b
                where not b.encrypted and b.retired_at is null and b.suspect_at is null
                  and b.blob_key > :after
                  and not exists (select from blob_checksum c where c.blob_key = b.blob_key)
                order by b.blob_key
                limit :limit
                """)
            .param("after", after)
            .param("limit", limit)
            .query((row, _) ->
                new Unchecked(
                    new BlobRef(row.getString(1), row.getLong(2)),
                    Digest.of(DigestAlgorithm.SHA_256, row.getBytes(3))))
            .list());
  }

  @Override
  public void delete(String blobKey) {
    transactions.write(_ ->
        jdbc.sql("delete from blob_checksum where blob_key = :blobKey")
            .param("blobKey", blobKey)
            .update());
  }

  @Override
  public int deleteOrphans(Instant instant) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                delete from blob_checksum c
                where c.created_at < :instant
                  and not exists (select from blob b where b.blob_key = c.blob_key)
                  and not exists (select from derived d where d.blob_key = c.blob_key)
                  and not exists (select from unfinished_upload u where u.blob_key = c.blob_key)
                """)
            .param("instant", Timestamp.from(instant))
            .update());
  }
}

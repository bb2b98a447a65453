package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rows of {@code blob}; called within transactions. Immutable, thread-safe. */
public record BlobRows(JdbcClient jdbc) {
  private static final String SELECT = "select " + BlobRow.COLUMNS + " from blob b ";

  private static final String SELECT_WITH_DIGESTS =
      "select " + BlobRow.COLUMNS + ", " + DigestRows.COLUMNS + " from blob b " + DigestRows.JOIN;

  /** Blobs that an artifact has, with this digest; oldest first. */
  List<Digested> findUsed(Digest digest) {
    return jdbc.sql(
            SELECT_WITH_DIGESTS
                + """
                join blob_digest u on u.blob_id = b.id
                where u.algorithm = :algorithm and u.value = :value
                  and exists (select from artifact a where a.blob_id = b.id)
                order by b.created_at, b.id
                """)
        .param("algorithm", digest.algorithm().id())
        .param("value", digest.bytes())
        .query((row, _) -> Digested.of(row))
        .list();
  }

  Optional<BlobRow> find(Digest sha256, boolean encrypted) {
    return find(sha256, encrypted, "");
  }

  /** Locks the row, so that it is neither retired nor forgotten until the transaction's end. */
  Optional<BlobRow> lock(Digest sha256, boolean encrypted) {
    return find(sha256, encrypted, " for update");
  }

  private Optional<BlobRow> find(Digest sha256, boolean encrypted, String lock) {
    return jdbc.sql(SELECT + "where b.sha256 = :sha256 and b.encrypted = :encrypted" + lock)
        .param("sha256", sha256.bytes())
        .param("encrypted", encrypted)
        .query((row, _) -> BlobRow.of(row))
        .optional();
  }

  /** As {@link #lock(Digest, boolean)}. */
  Optional<BlobRow> lock(String key) {
    return jdbc.sql(SELECT + "where b.blob_key = :key for update")
        .param("key", key)
        .query((row, _) -> BlobRow.of(row))
        .optional();
  }

  /** As {@link #lock(Digest, boolean)}; returns whether there is such a row. */
  boolean lock(long id) {
    return jdbc.sql("select id from blob where id = :id for update")
        .param("id", id)
        .query((row, _) -> row.getLong(1))
        .optional()
        .isPresent();
  }

  /** Returns 1, or 0 if there is a blob with this digest. */
  int insert(BlobRef blob, Digest sha256, Instant createdAt) {
    return jdbc.sql(
            """
            insert into blob (blob_key, length, encrypted, sha256, created_at)
            values (:key, :length, :encrypted, :sha256, :createdAt)
            on conflict (sha256, encrypted) do nothing
            """)
        .param("key", blob.key())
        .param("length", blob.length())
        .param("encrypted", blob.encrypted())
        .param("sha256", sha256.bytes())
        .param("createdAt", Timestamp.from(createdAt))
        .update();
  }

  void takeUp(long id) {
    jdbc.sql("update blob set retired_at = null where id = :id").param("id", id).update();
  }

  void retireUnused(long id, Instant retiredAt) {
    jdbc.sql(
            """
            update blob set retired_at = :retiredAt
            where id = :id and not exists (select from artifact where blob_id = :id)
            """)
        .param("retiredAt", Timestamp.from(retiredAt))
        .param("id", id)
        .update();
  }

  List<BlobRow> retiredBefore(Instant instant, int limit) {
    return jdbc.sql(
            SELECT
                + """
                where b.retired_at < :instant
                order by b.retired_at, b.id
                limit :limit
                """)
        .param("instant", Timestamp.from(instant))
        .param("limit", limit)
        .query((row, _) -> BlobRow.of(row))
        .list();
  }

  /** Returns 1, or 0 if an artifact has it. */
  int deleteUnused(long id) {
    return jdbc.sql(
            """
            delete from blob
            where id = :id and not exists (select from artifact where blob_id = :id)
            """)
        .param("id", id)
        .update();
  }

  Set<String> known(Collection<String> keys) {
    return jdbc.sql(
            """
            select blob_key from blob where blob_key = any(:keys)
            union all
            select blob_key from derived where blob_key = any(:keys)
            """)
        .param("keys", keys.toArray(String[]::new))
        .query((row, _) -> row.getString(1))
        .set();
  }

  /** Plain blobs of artifacts in repositories that encrypt, by key. */
  List<Digested> plainInEncrypted(String after, int limit) {
    return jdbc.sql(
            SELECT_WITH_DIGESTS
                + """
                where not b.encrypted and b.blob_key > :after
                  and exists (
                    select from artifact a join repository r on r.id = a.repository_id
                    where a.blob_id = b.id and r.encrypted)
                order by b.blob_key
                limit :limit
                """)
        .param("after", after)
        .param("limit", limit)
        .query((row, _) -> Digested.of(row))
        .list();
  }

  int suspect(String key, Instant suspectAt) {
    return jdbc.sql(
            "update blob set suspect_at = coalesce(suspect_at, :suspectAt) where blob_key = :key")
        .param("suspectAt", Timestamp.from(suspectAt))
        .param("key", key)
        .update();
  }

  /** Whether the blob to share with this digest is suspect, or the one that the path has. */
  boolean hasSuspect(Digest sha256, boolean encrypted, ArtifactId id) {
    return jdbc.sql(
            """
            select exists (
              select from blob b
              where b.sha256 = :sha256 and b.suspect_at is not null
                and (b.encrypted = :encrypted
                  or exists (
                    select from artifact a join repository r on r.id = a.repository_id
                    where a.blob_id = b.id and r.name = :repository and a.path = :path)))
            """)
        .param("sha256", sha256.bytes())
        .param("encrypted", encrypted)
        .param("repository", id.repository())
        .param("path", id.path())
        .query((row, _) -> row.getBoolean(1))
        .single();
  }

  /** Returns 1, or 0 if there is no suspect blob with this digest. */
  int replaceSuspect(Digest sha256, BlobRef fresh, Instant now) {
    return jdbc.sql(
            """
            update blob set
              blob_key = :key,
              length = :length,
              suspect_at = null,
              retired_at = case when retired_at is not null then cast(:now as timestamptz) end
            where sha256 = :sha256 and encrypted = :encrypted and suspect_at is not null
            """)
        .param("key", fresh.key())
        .param("length", fresh.length())
        .param("now", Timestamp.from(now))
        .param("sha256", sha256.bytes())
        .param("encrypted", fresh.encrypted())
        .update();
  }

  int clear(String key) {
    return jdbc.sql("update blob set suspect_at = null where blob_key = :key")
        .param("key", key)
        .update();
  }

  /** Suspect blobs that are not retired, by key. */
  List<BlobRow> suspectsAfter(String after, int limit) {
    return jdbc.sql(
            SELECT
                + """
                where b.suspect_at is not null and b.retired_at is null and b.blob_key > :after
                order by b.blob_key
                limit :limit
                """)
        .param("after", after)
        .param("limit", limit)
        .query((row, _) -> BlobRow.of(row))
        .list();
  }

  Set<String> suspects(Collection<String> keys) {
    return jdbc.sql(
            "select blob_key from blob where blob_key = any(:keys) and suspect_at is not null")
        .param("keys", keys.toArray(String[]::new))
        .query((row, _) -> row.getString(1))
        .set();
  }

  long suspectCount() {
    return jdbc.sql("select count(*) from blob where suspect_at is not null")
        .query((row, _) -> row.getLong(1))
        .single();
  }

  Instant now() {
    return jdbc.sql("select now()").query((row, _) -> row.getTimestamp(1).toInstant()).single();
  }

  long storedBytes() {
    return jdbc.sql("select coalesce(sum(length), 0) from blob")
        .query((row, _) -> row.getLong(1))
        .single();
  }

  /** A blob, and all of its digests. */
  record Digested(BlobRow blob, Digests digests) {
    static Digested of(ResultSet row) throws SQLException {
      return new Digested(BlobRow.of(row), DigestRows.of(row));
    }
  }
}

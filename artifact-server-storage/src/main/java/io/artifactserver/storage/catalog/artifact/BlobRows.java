package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.NativeQuery;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** Rows of stored blobs, and their digests. For the wiring; thread-safe. */
public interface BlobRows extends Repository<BlobRow, Long> {
  /** Blobs that an artifact has, with this digest; oldest first. */
  @Query(
      """
      select b from BlobRow b
      join b.digests d
      left join fetch b.digests
      where key(d) = :algorithm and d = :value
        and exists (select 1 from ArtifactRow a where a.blob = b)
      order by b.createdAt, b.id
      """)
  List<BlobRow> findUsed(String algorithm, byte[] value);

  /** Loads the digests of blobs that the session has already. */
  @Query("select b from BlobRow b left join fetch b.digests where b.id in :ids")
  List<BlobRow> fetchDigests(Collection<Long> ids);

  @Query("select b from BlobRow b where b.sha256 = :sha256 and b.encrypted = :encrypted")
  Optional<BlobRow> find(byte[] sha256, boolean encrypted);

  /** Locks the row, so that it is neither retired nor forgotten until the transaction's end. */
  @NativeQuery("select * from blob where sha256 = :sha256 and encrypted = :encrypted for update")
  Optional<BlobRow> lock(byte[] sha256, boolean encrypted);

  /** As {@link #lock(byte[], boolean)}. */
  @NativeQuery("select * from blob where blob_key = :key for update")
  Optional<BlobRow> lock(String key);

  /** As {@link #lock(byte[], boolean)}, for a row that the session has already. */
  @NativeQuery("select id from blob where id = :id for update")
  Optional<Long> lock(long id);

  /** Returns 1, or 0 if there is a blob with this digest. */
  @Modifying
  @NativeQuery(
      """
      insert into blob (blob_key, length, encrypted, sha256, created_at)
      values (:key, :length, :encrypted, :sha256, :createdAt)
      on conflict (sha256, encrypted) do nothing
      """)
  int insert(String key, long length, boolean encrypted, byte[] sha256, Instant createdAt);

  @Modifying
  @NativeQuery(
      """
      insert into blob_digest (blob_id, algorithm, value)
      values (:blobId, :algorithm, :value)
      on conflict do nothing
      """)
  int insertDigest(long blobId, String algorithm, byte[] value);

  /** Inserts those that the blob does not have yet. */
  default void insertDigests(long blobId, Digests digests) {
    for (Digest digest : digests.values().values()) {
      insertDigest(blobId, digest.algorithm().id(), digest.bytes());
    }
  }

  @Modifying
  @NativeQuery("update blob set retired_at = null where id = :id")
  int takeUp(long id);

  @Modifying
  @NativeQuery(
      """
      update blob set retired_at = :retiredAt
      where id = :id and not exists (select from artifact where blob_id = :id)
      """)
  int retireUnused(long id, Instant retiredAt);

  @Query("select b from BlobRow b where b.retiredAt < :instant order by b.retiredAt, b.id")
  List<BlobRow> retiredBefore(Instant instant, Limit limit);

  /** Returns 1, or 0 if an artifact has it. */
  @Modifying
  @NativeQuery(
      """
      delete from blob
      where id = :id and not exists (select from artifact where blob_id = :id)
      """)
  int deleteUnused(long id);

  @NativeQuery(
      """
      select blob_key from blob where blob_key in :keys
      union all
      select blob_key from derived where blob_key in :keys
      """)
  Set<String> known(Collection<String> keys);

  /** Plain blobs of artifacts in repositories that encrypt, by key. */
  @Query(
      """
      select b from BlobRow b
      where not b.encrypted and b.key > :after
        and exists (select 1 from ArtifactRow a where a.blob = b and a.repository.encrypted)
      order by b.key
      """)
  List<BlobRow> plainInEncrypted(String after, Limit limit);

  @Modifying
  @NativeQuery(
      """
      update blob set suspect_at = coalesce(suspect_at, :suspectAt) where blob_key = :key
      """)
  int suspect(String key, Instant suspectAt);

  /** Whether the blob to share with this digest is suspect, or the one that the path has. */
  @NativeQuery(
      """
      select exists (
        select from blob b
        where b.sha256 = :sha256 and b.suspect_at is not null
          and (b.encrypted = :encrypted
            or exists (
              select from artifact a join repository r on r.id = a.repository_id
              where a.blob_id = b.id and r.name = :repository and a.path = :path)))
      """)
  boolean hasSuspect(byte[] sha256, boolean encrypted, String repository, String path);

  /** Returns 1, or 0 if there is no suspect blob with this digest. */
  @Modifying
  @NativeQuery(
      """
      update blob set
        blob_key = :key,
        length = :length,
        suspect_at = null,
        retired_at = case when retired_at is not null then cast(:now as timestamptz) end
      where sha256 = :sha256 and encrypted = :encrypted and suspect_at is not null
      """)
  int replaceSuspect(byte[] sha256, boolean encrypted, String key, long length, Instant now);

  @Modifying
  @NativeQuery("update blob set suspect_at = null where blob_key = :key")
  int clear(String key);

  /** Suspect blobs that are not retired, by key. */
  @NativeQuery(
      """
      select * from blob
      where suspect_at is not null and retired_at is null and blob_key > :after
      order by blob_key
      limit :limit
      """)
  List<BlobRow> suspectsAfter(String after, int limit);

  @NativeQuery("select blob_key from blob where blob_key in :keys and suspect_at is not null")
  Set<String> suspects(Collection<String> keys);

  @NativeQuery("select count(*) from blob where suspect_at is not null")
  long suspectCount();

  @NativeQuery("select now()")
  Instant now();

  @Query("select coalesce(sum(b.length), 0) from BlobRow b")
  long storedBytes();
}

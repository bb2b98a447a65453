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
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

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
  List<BlobRow> findUsed(@Param("algorithm") String algorithm, @Param("value") byte[] value);

  /** Loads the digests of blobs that the session has already. */
  @Query("select b from BlobRow b left join fetch b.digests where b.id in :ids")
  List<BlobRow> fetchDigests(@Param("ids") Collection<Long> ids);

  @Query("select b from BlobRow b where b.sha256 = :sha256 and b.encrypted = :encrypted")
  Optional<BlobRow> find(@Param("sha256") byte[] sha256, @Param("encrypted") boolean encrypted);

  /** Locks the row, so that it is neither retired nor forgotten until the transaction's end. */
  @Query(
      nativeQuery = true,
      value = "select * from blob where sha256 = :sha256 and encrypted = :encrypted for update")
  Optional<BlobRow> lock(@Param("sha256") byte[] sha256, @Param("encrypted") boolean encrypted);

  /** As {@link #lock(byte[], boolean)}. */
  @Query(nativeQuery = true, value = "select * from blob where blob_key = :key for update")
  Optional<BlobRow> lock(@Param("key") String key);

  /** As {@link #lock(byte[], boolean)}, for a row that the session has already. */
  @Query(nativeQuery = true, value = "select id from blob where id = :id for update")
  Optional<Long> lock(@Param("id") long id);

  /** Returns 1, or 0 if there is a blob with this digest. */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into blob (blob_key, length, encrypted, sha256, created_at)
          values (:key, :length, :encrypted, :sha256, :createdAt)
          on conflict (sha256, encrypted) do nothing
          """)
  int insert(
      @Param("key") String key,
      @Param("length") long length,
      @Param("encrypted") boolean encrypted,
      @Param("sha256") byte[] sha256,
      @Param("createdAt") Instant createdAt);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into blob_digest (blob_id, algorithm, value)
          values (:blobId, :algorithm, :value)
          on conflict do nothing
          """)
  int insertDigest(
      @Param("blobId") long blobId,
      @Param("algorithm") String algorithm,
      @Param("value") byte[] value);

  /** Inserts those that the blob does not have yet. */
  default void insertDigests(long blobId, Digests digests) {
    for (Digest digest : digests.values().values()) {
      insertDigest(blobId, digest.algorithm().id(), digest.bytes());
    }
  }

  @Modifying
  @Query(nativeQuery = true, value = "update blob set retired_at = null where id = :id")
  int takeUp(@Param("id") long id);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          update blob set retired_at = :retiredAt
          where id = :id and not exists (select from artifact where blob_id = :id)
          """)
  int retireUnused(@Param("id") long id, @Param("retiredAt") Instant retiredAt);

  @Query("select b from BlobRow b where b.retiredAt < :instant order by b.retiredAt, b.id")
  List<BlobRow> retiredBefore(@Param("instant") Instant instant, Limit limit);

  /** Returns 1, or 0 if an artifact has it. */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          delete from blob
          where id = :id and not exists (select from artifact where blob_id = :id)
          """)
  int deleteUnused(@Param("id") long id);

  @Query(
      nativeQuery = true,
      value =
          """
          select blob_key from blob where blob_key in :keys
          union all
          select blob_key from derived where blob_key in :keys
          """)
  Set<String> known(@Param("keys") Collection<String> keys);

  /** Plain blobs of artifacts in repositories that encrypt, by key. */
  @Query(
      """
      select b from BlobRow b
      where not b.encrypted and b.key > :after
        and exists (select 1 from ArtifactRow a where a.blob = b and a.repository.encrypted)
      order by b.key
      """)
  List<BlobRow> plainInEncrypted(@Param("after") String after, Limit limit);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          update blob set suspect_at = coalesce(suspect_at, :suspectAt) where blob_key = :key
          """)
  int suspect(@Param("key") String key, @Param("suspectAt") Instant suspectAt);

  /** Whether the blob to share with this digest is suspect, or the one that the path has. */
  @Query(
      nativeQuery = true,
      value =
          """
          select exists (
            select from blob b
            where b.sha256 = :sha256 and b.suspect_at is not null
              and (b.encrypted = :encrypted
                or exists (
                  select from artifact a join repository r on r.id = a.repository_id
                  where a.blob_id = b.id and r.name = :repository and a.path = :path)))
          """)
  boolean hasSuspect(
      @Param("sha256") byte[] sha256,
      @Param("encrypted") boolean encrypted,
      @Param("repository") String repository,
      @Param("path") String path);

  /** Returns 1, or 0 if there is no suspect blob with this digest. */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          update blob set
            blob_key = :key,
            length = :length,
            suspect_at = null,
            retired_at = case when retired_at is not null then cast(:now as timestamptz) end
          where sha256 = :sha256 and encrypted = :encrypted and suspect_at is not null
          """)
  int replaceSuspect(
      @Param("sha256") byte[] sha256,
      @Param("encrypted") boolean encrypted,
      @Param("key") String key,
      @Param("length") long length,
      @Param("now") Instant now);

  @Modifying
  @Query(nativeQuery = true, value = "update blob set suspect_at = null where blob_key = :key")
  int clear(@Param("key") String key);

  /** Suspect blobs that are not retired, by key. */
  @Query(
      nativeQuery = true,
      value =
          """
          select * from blob
          where suspect_at is not null and retired_at is null and blob_key > :after
          order by blob_key
          limit :limit
          """)
  List<BlobRow> suspectsAfter(@Param("after") String after, @Param("limit") int limit);

  @Query(
      nativeQuery = true,
      value = "select blob_key from blob where blob_key in :keys and suspect_at is not null")
  Set<String> suspects(@Param("keys") Collection<String> keys);

  @Query(nativeQuery = true, value = "select count(*) from blob where suspect_at is not null")
  long suspectCount();

  @Query(nativeQuery = true, value = "select now()")
  Instant now();

  @Query("select coalesce(sum(b.length), 0) from BlobRow b")
  long storedBytes();
}

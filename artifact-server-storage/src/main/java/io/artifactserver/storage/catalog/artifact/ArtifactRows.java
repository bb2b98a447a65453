package io.artifactserver.storage.catalog.artifact;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.NativeQuery;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** Rows of artifacts. For the wiring; thread-safe. */
public interface ArtifactRows extends Repository<ArtifactRow, Long> {
  /** With all that an artifact has, in one statement. */
  @Query(
      """
      select a from ArtifactRow a
      join fetch a.repository r
      join fetch a.blob b
      left join fetch b.digests
      where r.name = :repository and a.path = :path
      """)
  Optional<ArtifactRow> find(String repository, String path);

  /** Without the digests: a limit and a fetched collection do not go together in one statement. */
  @Query(
      """
      select a from ArtifactRow a
      join fetch a.repository r
      join fetch a.blob b
      where r.name = :repository
        and a.path >= :begin and a.path < :end and a.path > :after
      order by a.path
      """)
  List<ArtifactRow> page(String repository, String begin, String end, String after, Limit limit);

  /** The repositories that have an artifact with one of the blobs. */
  @Query("select distinct r from ArtifactRow a join a.repository r where a.blob.id in :blobIds")
  List<RepositoryRow> repositories(Collection<Long> blobIds);

  @Query("select count(a) from ArtifactRow a where a.repository.name = :repository")
  long count(String repository);

  @Query(
      "select count(a) from ArtifactRow a where a.repository.name = :repository and a.blob.encrypted")
  long countEncrypted(String repository);

  /**
   * Returns how many artifacts of repositories that encrypt had the one blob and have the other.
   */
  @Modifying
  @NativeQuery(
      """
      update artifact set blob_id = :encrypted
      where blob_id = :plain
        and repository_id in (select id from repository where encrypted)
      """)
  int moveToEncrypted(long plain, long encrypted);

  /** Returns 1, or 0 if the path is taken. */
  @Modifying
  @NativeQuery(
      """
      insert into artifact (repository_id, path, blob_id, media_type, created_at)
      values (:repositoryId, :path, :blobId, :mediaType, :createdAt)
      on conflict do nothing
      """)
  int insert(long repositoryId, String path, long blobId, String mediaType, Instant createdAt);

  /** Returns 1, or 0 if the row is gone or refers to another blob by now. */
  @Modifying
  @NativeQuery("delete from artifact where id = :id and blob_id = :blobId")
  int delete(long id, long blobId);
}

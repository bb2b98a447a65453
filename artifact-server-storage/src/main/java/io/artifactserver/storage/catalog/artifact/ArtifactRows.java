package io.artifactserver.storage.catalog.artifact;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

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
  Optional<ArtifactRow> find(@Param("repository") String repository, @Param("path") String path);

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
  List<ArtifactRow> page(
      @Param("repository") String repository,
      @Param("begin") String begin,
      @Param("end") String end,
      @Param("after") String after,
      Limit limit);

  /** The repositories that have an artifact with one of the blobs. */
  @Query("select distinct r from ArtifactRow a join a.repository r where a.blob.id in :blobIds")
  List<RepositoryRow> repositories(@Param("blobIds") Collection<Long> blobIds);

  @Query("select count(a) from ArtifactRow a where a.repository.name = :repository")
  long count(@Param("repository") String repository);

  @Query(
      "select count(a) from ArtifactRow a where a.repository.name = :repository and a.blob.encrypted")
  long countEncrypted(@Param("repository") String repository);

  /**
   * Returns how many artifacts of repositories that encrypt had the one blob and have the other.
   */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          update artifact set blob_id = :encrypted
          where blob_id = :plain
            and repository_id in (select id from repository where encrypted)
          """)
  int moveToEncrypted(@Param("plain") long plain, @Param("encrypted") long encrypted);

  /** Returns 1, or 0 if the path is taken. */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into artifact (repository_id, path, blob_id, media_type, created_at)
          values (:repositoryId, :path, :blobId, :mediaType, :createdAt)
          on conflict do nothing
          """)
  int insert(
      @Param("repositoryId") long repositoryId,
      @Param("path") String path,
      @Param("blobId") long blobId,
      @Param("mediaType") String mediaType,
      @Param("createdAt") Instant createdAt);

  /** Returns 1, or 0 if the row is gone or refers to another blob by now. */
  @Modifying
  @Query(nativeQuery = true, value = "delete from artifact where id = :id and blob_id = :blobId")
  int delete(@Param("id") long id, @Param("blobId") long blobId);
}

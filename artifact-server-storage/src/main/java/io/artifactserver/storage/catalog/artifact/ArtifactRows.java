package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.Support;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rows of {@code artifact}; called within transactions. Immutable, thread-safe. */
public record ArtifactRows(JdbcClient jdbc) {
  private static final String TABLES =
      """
      from artifact a
      join repository r on r.id = a.repository_id
      join blob b on b.id = a.blob_id
      """;

  /** With all that an artifact has, in one statement. */
  Optional<Found> find(ArtifactId id) {
    return jdbc.sql(
            "select "
                + ArtifactRow.COLUMNS
                + ", "
                + DigestRows.COLUMNS
                + " "
                + TABLES
                + DigestRows.JOIN
                + "where r.name = :repository and a.path = :path")
        .param("repository", id.repository())
        .param("path", id.path())
        .query((row, _) -> {
          ArtifactRow artifact = ArtifactRow.of(row);
          return new Found(
              artifact.id(), artifact.blob().id(), artifact.toArtifact(DigestRows.of(row)));
        })
        .optional();
  }

  /** By path. Only the rows of the page are joined with the others. */
  List<Artifact> page(String repository, PathRange range, String after, int limit) {
    return page(repository, range, after, limit, "");
  }

  /** As {@link #page}, of those that are held now. */
  List<Artifact> heldPage(String repository, PathRange range, String after, int limit) {
    return page(repository, range, after, limit, " and held_until > now()");
  }

  private List<Artifact> page(
      String repository, PathRange range, String after, int limit, String condition) {
    return jdbc.sql(
            "select "
                + ArtifactRow.COLUMNS
                + ", "
                + DigestRows.COLUMNS
                + """
                 from (
                  select * from artifact
                  where repository_id = (select id from repository where name = :repository)
                    and path >= :begin and path < :end and path > :after
                """
                + condition
                + """

                  order by path
                  limit :limit) a
                join repository r on r.id = a.repository_id
                join blob b on b.id = a.blob_id
                """
                + DigestRows.JOIN
                + "order by a.path")
        .param("repository", repository)
        .param("begin", range.begin())
        .param("end", range.end())
        .param("after", after)
        .param("limit", limit)
        .query((row, _) -> ArtifactRow.of(row).toArtifact(DigestRows.of(row)))
        .list();
  }

  /** The repositories that have an artifact with one of the blobs. */
  Set<Repository> repositories(Collection<Long> blobIds) {
    return jdbc.sql(
            "select distinct "
                + RepositoryRow.COLUMNS
                + """
                from artifact a join repository r on r.id = a.repository_id
                where a.blob_id = any(:blobIds)
                """)
        .param("blobIds", blobIds.toArray(Long[]::new))
        .query((row, _) -> RepositoryRow.of(row).repository())
        .set();
  }

  long count(String repository) {
    return jdbc.sql(
            """
            select count(*) from artifact a join repository r on r.id = a.repository_id
            where r.name = :repository
            """)
        .param("repository", repository)
        .query((row, _) -> row.getLong(1))
        .single();
  }

  long countEncrypted(String repository) {
    return jdbc.sql("select count(*) " + TABLES + "where r.name = :repository and b.encrypted")
        .param("repository", repository)
        .query((row, _) -> row.getLong(1))
        .single();
  }

  /**
   * Returns how many artifacts of repositories that encrypt had the one blob and have the other.
   */
  int moveToEncrypted(long plain, long encrypted) {
    return jdbc.sql(
            """
            update artifact set blob_id = :encrypted
            where blob_id = :plain
              and repository_id in (select id from repository where encrypted)
            """)
        .param("encrypted", encrypted)
        .param("plain", plain)
        .update();
  }

  /** Returns 1, or 0 if the path is taken. */
  int insert(long repositoryId, String path, long blobId, String mediaType, Instant createdAt) {
    return jdbc.sql(
            """
            insert into artifact (repository_id, path, blob_id, media_type, created_at)
            values (:repositoryId, :path, :blobId, :mediaType, :createdAt)
            on conflict do nothing
            """)
        .param("repositoryId", repositoryId)
        .param("path", path)
        .param("blobId", blobId)
        .param("mediaType", mediaType)
        .param("createdAt", Timestamp.from(createdAt))
        .update();
  }

  /**
   * Returns 1, or 0 if there is no such artifact or its hold ends later. The row's lock keeps a
   * removal out until the transaction's end.
   */
  int hold(ArtifactId id, Hold hold) {
    return jdbc.sql(
            """
            update artifact set held_until = :until, hold_reason = :reason
            where repository_id = (select id from repository where name = :repository)
              and path = :path
              and (held_until is null or held_until <= greatest(cast(:until as timestamptz), now()))
            """)
        .param("until", Timestamp.from(hold.until()))
        .param("reason", hold.reason())
        .param("repository", id.repository())
        .param("path", id.path())
        .update();
  }

  /** Returns 1, or 0 if there is no such artifact. */
  int support(ArtifactId id, Support support) {
    return jdbc.sql(
            """
            update artifact set release = :release, support_end = :end
            where repository_id = (select id from repository where name = :repository)
              and path = :path
            """)
        .param("release", support.release().name())
        .param("end", support.end().atDay(1))
        .param("repository", id.repository())
        .param("path", id.path())
        .update();
  }

  /** Returns 1, or 0 if the row is gone, refers to another blob by now, or is held. */
  int delete(long id, long blobId) {
    return jdbc.sql(
            """
            delete from artifact
            where id = :id and blob_id = :blobId and (held_until is null or held_until <= now())
            """)
        .param("id", id)
        .param("blobId", blobId)
        .update();
  }

  /** An artifact, and the ids of its row and of its blob's. */
  record Found(long id, long blobId, Artifact artifact) {}
}

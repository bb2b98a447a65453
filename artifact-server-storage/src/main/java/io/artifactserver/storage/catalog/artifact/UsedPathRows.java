package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog.Deleted;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.catalog.Support;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rows of {@code used_path}; called within transactions. Immutable, thread-safe. */
public record UsedPathRows(JdbcClient jdbc) {
  /** The last artifact that was deleted from the path, if one was. */
  Optional<UsedPath> find(ArtifactId id) {
    return jdbc.sql(
            """
            select u.sha256, u.deleted_at
            from used_path u join repository r on r.id = u.repository_id
            where r.name = :repository and u.path = :path
            """)
        .param("repository", id.repository())
        .param("path", id.path())
        .query((row, _) ->
            new UsedPath(
                id,
                Digest.of(DigestAlgorithm.SHA_256, row.getBytes(1)),
                row.getTimestamp(2).toInstant()))
        .optional();
  }

  /** Keeps what the path had until now, in place of what it had before. */
  void keep(Artifact artifact, Instant deletedAt) {
    @Nullable Support support = artifact.support();
    jdbc.sql(
            """
            insert into used_path
              (repository_id, path, sha256, deleted_at, media_type, release, support_end)
            select id, :path, :sha256, :deletedAt, :mediaType,
              cast(:release as text), cast(:supportEnd as date)
            from repository where name = :repository
            on conflict (repository_id, path)
            do update set
              sha256 = excluded.sha256,
              deleted_at = excluded.deleted_at,
              media_type = excluded.media_type,
              release = excluded.release,
              support_end = excluded.support_end
            """)
        .param("path", artifact.path())
        .param("sha256", artifact.digests().sha256().bytes())
        .param("deletedAt", Timestamp.from(deletedAt))
        .param("mediaType", artifact.mediaType())
        .param("release", support == null ? null : support.release().name())
        .param("supportEnd", support == null ? null : support.end().atDay(1))
        .param("repository", artifact.repository().name())
        .update();
  }

  /** By path. Only the rows of the page are compared with the others. */
  List<Deleted> page(String repository, PathRange range, String after, int limit) {
    return jdbc.sql(
            """
            select u.path, u.sha256, u.deleted_at,
              exists (
                select from artifact a
                where a.repository_id = u.repository_id and a.path = u.path) as has_artifact,
              u.media_type is not null and exists (
                select from blob b
                where b.sha256 = u.sha256 and b.encrypted = r.encrypted
                  and b.suspect_at is null) as has_bytes
            from (
              select * from used_path
              where repository_id = (select id from repository where name = :repository)
                and path >= :begin and path < :end and path > :after
              order by path
              limit :limit) u
            join repository r on r.id = u.repository_id
            order by u.path
            """)
        .param("repository", repository)
        .param("begin", range.begin())
        .param("end", range.end())
        .param("after", after)
        .param("limit", limit)
        .query((row, _) ->
            new Deleted(
                new UsedPath(
                    new ArtifactId(repository, row.getString("path")),
                    Digest.of(DigestAlgorithm.SHA_256, row.getBytes("sha256")),
                    row.getTimestamp("deleted_at").toInstant()),
                row.getBoolean("has_artifact"),
                row.getBoolean("has_bytes")))
        .list();
  }

  /**
   * The artifact that was deleted last from the path, if the path has none, and a blob that may be
   * shared has its bytes.
   */
  Optional<Artifact> deleted(ArtifactId id) {
    return jdbc.sql(
            "select u.path, u.media_type, u.release, u.support_end, "
                + RepositoryRow.COLUMNS
                + ", "
                + BlobRow.COLUMNS
                + ", "
                + DigestRows.COLUMNS
                + """
                 from used_path u
                join repository r on r.id = u.repository_id
                join blob b on b.sha256 = u.sha256 and b.encrypted = r.encrypted
                """
                + DigestRows.JOIN
                + """
                where r.name = :repository and u.path = :path
                  and u.media_type is not null
                  and b.suspect_at is null
                  and not exists (
                    select from artifact a
                    where a.repository_id = u.repository_id and a.path = u.path)
                """)
        .param("repository", id.repository())
        .param("path", id.path())
        .query((row, _) -> {
          BlobRow blob = BlobRow.of(row);
          return new Artifact(
              RepositoryRow.of(row).repository(),
              row.getString("path"),
              blob.ref(),
              row.getString("media_type"),
              DigestRows.of(row),
              blob.createdAt(),
              null,
              ArtifactRow.support(row));
        })
        .optional();
  }
}

package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Optional;
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
  void keep(ArtifactId id, Digest sha256, Instant deletedAt) {
    jdbc.sql(
            """
            insert into used_path (repository_id, path, sha256, deleted_at)
            select id, :path, :sha256, :deletedAt from repository where name = :repository
            on conflict (repository_id, path)
            do update set sha256 = excluded.sha256, deleted_at = excluded.deleted_at
            """)
        .param("path", id.path())
        .param("sha256", sha256.bytes())
        .param("deletedAt", Timestamp.from(deletedAt))
        .param("repository", id.repository())
        .update();
  }
}

package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.RepositoryChange;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rows of {@code repository}; called within transactions. Immutable, thread-safe. */
public record RepositoryRows(JdbcClient jdbc) {
  private static final String SELECT = "select " + RepositoryRow.COLUMNS + " from repository r ";

  Optional<RepositoryRow> find(String name) {
    return jdbc.sql(SELECT + "where r.name = :name")
        .param("name", name)
        .query((row, _) -> RepositoryRow.of(row))
        .optional();
  }

  /** All, by name. */
  List<Repository> all() {
    return jdbc.sql(SELECT + "order by r.name")
        .query((row, _) -> RepositoryRow.of(row).repository())
        .list();
  }

  void encrypt(String name) {
    jdbc.sql("update repository set encrypted = true where name = :name")
        .param("name", name)
        .update();
  }

  /** Keeps what is null. */
  void change(String name, RepositoryChange change) {
    @Nullable Duration maxAge = change.maxAge();
    jdbc.sql(
            """
            update repository set
              redirects = coalesce(cast(:redirects as boolean), redirects),
              mutable = coalesce(cast(:mutable as boolean), mutable),
              max_age_seconds = coalesce(cast(:maxAgeSeconds as integer), max_age_seconds)
            where name = :name
            """)
        .param("redirects", change.redirects())
        .param("mutable", change.mutable())
        .param("maxAgeSeconds", maxAge == null ? null : maxAge.toSeconds())
        .param("name", name)
        .update();
  }

  /** Returns 1, or 0 if the name is taken. */
  int insert(Repository repository) {
    return jdbc.sql(
            """
            insert into repository
              (name, public, encrypted, redirects, mutable, max_age_seconds, created_at)
            values
              (:name, :isPublic, :encrypted, :redirects, :mutable, :maxAgeSeconds, :createdAt)
            on conflict do nothing
            """)
        .param("name", repository.name())
        .param("isPublic", repository.isPublic())
        .param("encrypted", repository.encrypted())
        .param("redirects", repository.redirects())
        .param("mutable", repository.paths().mutable())
        .param("maxAgeSeconds", repository.paths().maxAge().toSeconds())
        .param("createdAt", Timestamp.from(repository.createdAt()))
        .update();
  }
}

package io.artifactserver.storage.catalog.artifact;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of repositories. For the wiring; thread-safe. */
public interface RepositoryRows extends Repository<RepositoryRow, Long> {
  Optional<RepositoryRow> findByName(String name);

  List<RepositoryRow> findAllByOrderByName();

  @Modifying
  @Query(nativeQuery = true, value = "update repository set encrypted = true where name = :name")
  int encrypt(@Param("name") String name);

  /** Keeps what is null. */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          update repository set
            redirects = coalesce(cast(:redirects as boolean), redirects),
            mutable = coalesce(cast(:mutable as boolean), mutable),
            max_age_seconds = coalesce(cast(:maxAgeSeconds as integer), max_age_seconds)
          where name = :name
          """)
  int change(
      @Param("name") String name,
      @Param("redirects") @Nullable Boolean redirects,
      @Param("mutable") @Nullable Boolean mutable,
      @Param("maxAgeSeconds") @Nullable Long maxAgeSeconds);

  /** Returns 1, or 0 if the name is taken. */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into repository (name, public, encrypted, mutable, max_age_seconds, created_at)
          values (:name, :isPublic, :encrypted, :mutable, :maxAgeSeconds, :createdAt)
          on conflict do nothing
          """)
  int insert(
      @Param("name") String name,
      @Param("isPublic") boolean isPublic,
      @Param("encrypted") boolean encrypted,
      @Param("mutable") boolean mutable,
      @Param("maxAgeSeconds") long maxAgeSeconds,
      @Param("createdAt") Instant createdAt);
}

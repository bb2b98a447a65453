package io.artifactserver.storage.catalog.artifact;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.NativeQuery;
import org.springframework.data.repository.Repository;

/** Rows of repositories. For the wiring; thread-safe. */
public interface RepositoryRows extends Repository<RepositoryRow, Long> {
  Optional<RepositoryRow> findByName(String name);

  List<RepositoryRow> findAllByOrderByName();

  @Modifying
  @NativeQuery("update repository set encrypted = true where name = :name")
  int encrypt(String name);

  /** Keeps what is null. */
  @Modifying
  @NativeQuery(
      """
      update repository set
        redirects = coalesce(cast(:redirects as boolean), redirects),
        mutable = coalesce(cast(:mutable as boolean), mutable),
        max_age_seconds = coalesce(cast(:maxAgeSeconds as integer), max_age_seconds)
      where name = :name
      """)
  int change(
      String name,
      @Nullable Boolean redirects,
      @Nullable Boolean mutable,
      @Nullable Long maxAgeSeconds);

  /** Returns 1, or 0 if the name is taken. */
  @Modifying
  @NativeQuery(
      """
      insert into repository (name, public, encrypted, mutable, max_age_seconds, created_at)
      values (:name, :isPublic, :encrypted, :mutable, :maxAgeSeconds, :createdAt)
      on conflict do nothing
      """)
  int insert(
      String name,
      boolean isPublic,
      boolean encrypted,
      boolean mutable,
      long maxAgeSeconds,
      Instant createdAt);
}

package io.artifactserver.storage.catalog;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

interface RepositoryRows extends Repository<RepositoryRow, Long> {
  Optional<RepositoryRow> findByName(String name);

  List<RepositoryRow> findAllByOrderByName();

  @Modifying
  @Query(nativeQuery = true, value = "update repository set encrypted = true where name = :name")
  int encrypt(@Param("name") String name);

  @Modifying
  @Query(
      nativeQuery = true,
      value = "update repository set redirects = :redirects where name = :name")
  int redirect(@Param("name") String name, @Param("redirects") boolean redirects);

  /** Returns 1, or 0 if the name is taken. */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into repository (name, public, encrypted, created_at)
          values (:name, :isPublic, :encrypted, :createdAt)
          on conflict do nothing
          """)
  int insert(
      @Param("name") String name,
      @Param("isPublic") boolean isPublic,
      @Param("encrypted") boolean encrypted,
      @Param("createdAt") Instant createdAt);
}

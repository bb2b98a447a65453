package io.artifactserver.storage.catalog;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

interface AccessTokenRows extends Repository<AccessTokenRow, String> {
  @Query(
      """
      select t from AccessTokenRow t left join fetch t.repositories
      where t.id = :id and t.revokedAt is null
      """)
  Optional<AccessTokenRow> find(@Param("id") String id);

  @Query(
      """
      select t from AccessTokenRow t left join fetch t.repositories
      where t.revokedAt is null
      order by t.createdAt, t.id
      """)
  List<AccessTokenRow> list();

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into access_token (id, name, role, secret_digest, created_at)
          values (:id, :name, :role, :secretDigest, :createdAt)
          """)
  int insert(
      @Param("id") String id,
      @Param("name") String name,
      @Param("role") String role,
      @Param("secretDigest") String secretDigest,
      @Param("createdAt") Instant createdAt);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          "insert into access_token_repository (token_id, repository) values (:id, :repository)")
  int insertRepository(@Param("id") String id, @Param("repository") String repository);

  @Query(
      nativeQuery = true,
      value = "select count(*) from access_token where id = :id and revoked_at is not null")
  long countRevoked(@Param("id") String id);

  /** Returns 1, or 0 if there is none that is good. */
  @Modifying
  @Query(
      nativeQuery = true,
      value = "update access_token set revoked_at = now() where id = :id and revoked_at is null")
  int revoke(@Param("id") String id);

  @Modifying
  @Query(
      nativeQuery = true,
      value = "delete from access_token where id = :id and revoked_at is not null")
  int deleteRevoked(@Param("id") String id);
}

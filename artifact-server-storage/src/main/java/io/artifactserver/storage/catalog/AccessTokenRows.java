package io.artifactserver.storage.catalog;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

interface AccessTokenRows extends Repository<AccessTokenRow, String> {
  @Query(
      """
      select t from AccessTokenRow t left join fetch t.repositories left join fetch t.paths
      where t.id = :id and t.revokedAt is null
      """)
  Optional<AccessTokenRow> find(@Param("id") String id);

  @Query(
      """
      select t from AccessTokenRow t left join fetch t.repositories left join fetch t.paths
      where t.revokedAt is null
      order by t.createdAt, t.id
      """)
  List<AccessTokenRow> list();

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into access_token
            (id, name, description, role, secret_digest, created_at, expires_at)
          values (:id, :name, :description, :role, :secretDigest, :createdAt, :expiresAt)
          """)
  int insert(
      @Param("id") String id,
      @Param("name") String name,
      @Param("description") String description,
      @Param("role") String role,
      @Param("secretDigest") String secretDigest,
      @Param("createdAt") Instant createdAt,
      @Param("expiresAt") @Nullable Instant expiresAt);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          "insert into access_token_repository (token_id, repository) values (:id, :repository)")
  int insertRepository(@Param("id") String id, @Param("repository") String repository);

  @Modifying
  @Query(
      nativeQuery = true,
      value = "insert into access_token_path (token_id, prefix) values (:id, :prefix)")
  int insertPath(@Param("id") String id, @Param("prefix") String prefix);

  /** Returns 1, or 0 if there is none that is good. */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          update access_token set expires_at = least(expires_at, :until)
          where id = :id and revoked_at is null
          """)
  int expire(@Param("id") String id, @Param("until") Instant until);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          update access_token set last_used_at = greatest(last_used_at, :at) where id = :id
          """)
  int used(@Param("id") String id, @Param("at") Instant at);

  @Query(
      nativeQuery = true,
      value =
          """
          select id, last_used_at as at from access_token
          where last_used_at is not null and revoked_at is null
          """)
  List<LastUse> lastUses();

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

  /** A row of {@link #lastUses}. */
  interface LastUse {
    String getId();

    Instant getAt();
  }
}

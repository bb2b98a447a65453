package io.artifactserver.storage.catalog;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

interface AccessTokenRows extends Repository<AccessTokenRow, String> {
  @Query("select t from AccessTokenRow t left join fetch t.repositories where t.id = :id")
  Optional<AccessTokenRow> find(@Param("id") String id);

  @Query("select t from AccessTokenRow t left join fetch t.repositories order by t.createdAt, t.id")
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

  @Modifying
  @Query(nativeQuery = true, value = "delete from access_token where id = :id")
  int delete(@Param("id") String id);
}

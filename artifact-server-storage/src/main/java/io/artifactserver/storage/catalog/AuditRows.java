package io.artifactserver.storage.catalog;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

interface AuditRows extends Repository<AuditRow, Long> {
  /** Makes writers take turns until the transaction ends; readers need not wait. */
  @Modifying
  @Query(nativeQuery = true, value = "lock table audit in share row exclusive mode")
  void lock();

  @Query("select r from AuditRow r order by r.id desc limit 1")
  Optional<AuditRow> last();

  @Query("select r from AuditRow r where r.id > :after order by r.id")
  List<AuditRow> after(@Param("after") long after, Limit limit);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into audit (id, at, entry, previous, digest)
          values (:id, :at, :entry, :previous, :digest)
          """)
  int insert(
      @Param("id") long id,
      @Param("at") Instant at,
      @Param("entry") String entry,
      @Param("previous") String previous,
      @Param("digest") String digest);
}

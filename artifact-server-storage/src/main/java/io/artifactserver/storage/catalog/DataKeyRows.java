package io.artifactserver.storage.catalog;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

interface DataKeyRows extends Repository<DataKeyRow, String> {
  Optional<DataKeyRow> findByBlobKey(String blobKey);

  @Query(
      """
      select k from DataKeyRow k
      where k.ringKeyId <> :ringKeyId and k.blobKey > :after
      order by k.blobKey
      """)
  List<DataKeyRow> notWrappedBy(
      @Param("ringKeyId") long ringKeyId, @Param("after") String after, Limit limit);

  @Query("select k.ringKeyId, count(k) from DataKeyRow k group by k.ringKeyId")
  List<Object[]> countByRingKey();

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into data_key (blob_key, wrapped, ring_key_id, created_at)
          values (:blobKey, :wrapped, :ringKeyId, now())
          """)
  int insert(
      @Param("blobKey") String blobKey,
      @Param("wrapped") byte[] wrapped,
      @Param("ringKeyId") long ringKeyId);

  /** Returns 1, or 0 if the row is gone or has another wrapping by now. */
  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          update data_key set wrapped = :after, ring_key_id = :ringKeyId
          where blob_key = :blobKey and wrapped = :before
          """)
  int replace(
      @Param("blobKey") String blobKey,
      @Param("before") byte[] before,
      @Param("after") byte[] after,
      @Param("ringKeyId") long ringKeyId);

  @Modifying
  @Query(nativeQuery = true, value = "delete from data_key where blob_key = :blobKey")
  int delete(@Param("blobKey") String blobKey);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          delete from data_key k
          where k.created_at < :instant
            and not exists (select from blob b where b.blob_key = k.blob_key)
            and not exists (select from derived d where d.blob_key = k.blob_key)
          """)
  int deleteOrphans(@Param("instant") Instant instant);
}

package io.artifactserver.storage.catalog;

import java.time.Instant;
import java.util.Optional;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

interface BlobChecksumRows extends Repository<BlobChecksumRow, String> {
  Optional<BlobChecksumRow> findByBlobKey(String blobKey);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          insert into blob_checksum (blob_key, crc32c) values (:blobKey, :crc32c)
          on conflict (blob_key) do update set crc32c = :crc32c
          """)
  int put(@Param("blobKey") String blobKey, @Param("crc32c") byte[] crc32c);

  @Modifying
  @Query(nativeQuery = true, value = "delete from blob_checksum where blob_key = :blobKey")
  int delete(@Param("blobKey") String blobKey);

  @Modifying
  @Query(
      nativeQuery = true,
      value =
          """
          delete from blob_checksum c
          where c.created_at < :instant
            and not exists (select from blob b where b.blob_key = c.blob_key)
            and not exists (select from derived d where d.blob_key = c.blob_key)
          """)
  int deleteOrphans(@Param("instant") Instant instant);
}

package io.artifactserver.storage.catalog;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of {@code blob_checksum}; read only. */
@Entity
@Table(name = "blob_checksum")
class BlobChecksumRow {
  @Id
  @Column(name = "blob_key")
  private String blobKey;

  @Column(nullable = false)
  private byte[] crc32c;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected BlobChecksumRow() {}

  byte[] crc32c() {
    return crc32c.clone();
  }
}

package io.artifactserver.storage.catalog;

import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of {@code data_key}; read only. */
@Entity
@Table(name = "data_key")
class DataKeyRow {
  @Id
  @Column(name = "blob_key")
  private String blobKey;

  @Column(nullable = false)
  private byte[] wrapped;

  @Column(name = "ring_key_id", nullable = false)
  private long ringKeyId;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected DataKeyRow() {}

  WrappedDataKey toWrappedDataKey() {
    return new WrappedDataKey(blobKey, wrapped, ringKeyId);
  }
}

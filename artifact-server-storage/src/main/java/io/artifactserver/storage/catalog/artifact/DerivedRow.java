package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A row of {@code derived}; read only. */
@Entity
@Table(name = "derived")
class DerivedRow {
  @Id private Long id;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "blob_id")
  private BlobRow blob;

  @Column(nullable = false)
  private String form;

  @Column(name = "blob_key")
  private @Nullable String key;

  private @Nullable Long length;

  private byte @Nullable [] sha256;

  @Column(name = "created_at", nullable = false)
  private Instant createdAt;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected DerivedRow() {}

  long id() {
    return id;
  }

  BlobRow blob() {
    return blob;
  }

  Derived toDerived() {
    if (key == null || length == null || sha256 == null) {
      return new Derived.Skipped(form);
    }
    return new Derived.Stored(
        form,
        new BlobRef(key, length, blob.encrypted()),
        Digest.of(DigestAlgorithm.SHA_256, sha256),
        createdAt);
  }
}

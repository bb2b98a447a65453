package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.MapKeyColumn;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row of {@code blob}; read only. */
@Entity
@Table(name = "blob")
class BlobRow {
  @Id private Long id;

  @Column(name = "blob_key", nullable = false)
  private String key;

  @Column(nullable = false)
  private long length;

  @Column(nullable = false)
  private boolean encrypted;

  @Column(nullable = false)
  private byte[] sha256;

  @Column(name = "created_at", nullable = false)
  private Instant createdAt;

  @Column(name = "retired_at")
  private @Nullable Instant retiredAt;

  @Column(name = "suspect_at")
  private @Nullable Instant suspectAt;

  @ElementCollection
  @CollectionTable(name = "blob_digest", joinColumns = @JoinColumn(name = "blob_id"))
  @MapKeyColumn(name = "algorithm")
  @Column(name = "value", nullable = false)
  private Map<String, byte[]> digests;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected BlobRow() {}

  long id() {
    return id;
  }

  boolean encrypted() {
    return encrypted;
  }

  boolean retired() {
    return retiredAt != null;
  }

  boolean isRetiredBefore(Instant instant) {
    return retiredAt != null && retiredAt.isBefore(instant);
  }

  boolean suspect() {
    return suspectAt != null;
  }

  Instant createdAt() {
    return createdAt;
  }

  Digest sha256() {
    return Digest.of(DigestAlgorithm.SHA_256, sha256);
  }

  BlobRef toBlobRef() {
    return new BlobRef(key, length, encrypted);
  }

  /** Loads the digests unless the query fetched them. */
  Digests toDigests() {
    Map<DigestAlgorithm, Digest> values = new EnumMap<>(DigestAlgorithm.class);
    digests.forEach(
        // An algorithm that a newer release added is of no use to this one.
        (id, value) ->
            DigestAlgorithm.ofId(id)
                .ifPresent(algorithm -> values.put(algorithm, Digest.of(algorithm, value))));
    return new Digests(values);
  }
}

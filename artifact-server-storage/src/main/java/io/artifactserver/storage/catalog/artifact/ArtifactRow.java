package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.catalog.Artifact;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.time.Instant;

/** A row of {@code artifact}; read only. */
@Entity
@Table(name = "artifact")
class ArtifactRow {
  @Id private Long id;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "repository_id")
  private RepositoryRow repository;

  @Column(nullable = false)
  private String path;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "blob_id")
  private BlobRow blob;

  @Column(name = "media_type", nullable = false)
  private String mediaType;

  @Column(name = "created_at", nullable = false)
  private Instant createdAt;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected ArtifactRow() {}

  long id() {
    return id;
  }

  String path() {
    return path;
  }

  BlobRow blob() {
    return blob;
  }

  /** Loads what the query did not fetch. */
  Artifact toArtifact() {
    return new Artifact(
        repository.toRepository(), path, blob.toBlobRef(), mediaType, blob.toDigests(), createdAt);
  }
}

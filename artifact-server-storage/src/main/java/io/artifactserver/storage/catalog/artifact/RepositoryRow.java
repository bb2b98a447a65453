package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Repository;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;

/** A row of {@code repository}; read only. */
@Entity
@Table(name = "repository")
class RepositoryRow {
  @Id private Long id;

  @Column(nullable = false)
  private String name;

  @Column(name = "public", nullable = false)
  private boolean isPublic;

  @Column(nullable = false)
  private boolean encrypted;

  @Column(nullable = false)
  private boolean redirects;

  @Column(nullable = false)
  private boolean mutable;

  @Column(name = "max_age_seconds", nullable = false)
  private int maxAgeSeconds;

  @Column(name = "created_at", nullable = false)
  private Instant createdAt;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected RepositoryRow() {}

  long id() {
    return id;
  }

  boolean encrypted() {
    return encrypted;
  }

  boolean mutable() {
    return mutable;
  }

  Repository toRepository() {
    PathPolicy paths = new PathPolicy(mutable, Duration.ofSeconds(maxAgeSeconds));
    return new Repository(name, isPublic, encrypted, redirects, paths, createdAt);
  }
}

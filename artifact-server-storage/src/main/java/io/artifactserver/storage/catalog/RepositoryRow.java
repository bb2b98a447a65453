package io.artifactserver.storage.catalog;

import io.artifactserver.core.catalog.Repository;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
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

  Repository toRepository() {
    return new Repository(name, isPublic, encrypted, redirects, createdAt);
  }
}

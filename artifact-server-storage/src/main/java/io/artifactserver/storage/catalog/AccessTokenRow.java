package io.artifactserver.storage.catalog;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A row of {@code access_token}; read only. */
@Entity
@Table(name = "access_token")
class AccessTokenRow {
  @Id private String id;

  @Column(nullable = false)
  private String name;

  @Column(nullable = false)
  private String description;

  @Column(nullable = false)
  private String role;

  @Column(name = "secret_digest", nullable = false)
  private String secretDigest;

  @Column(name = "created_at", nullable = false)
  private Instant createdAt;

  @Column(name = "expires_at")
  private @Nullable Instant expiresAt;

  @Column(name = "revoked_at")
  private @Nullable Instant revokedAt;

  @ElementCollection
  @CollectionTable(name = "access_token_repository", joinColumns = @JoinColumn(name = "token_id"))
  @Column(name = "repository", nullable = false)
  private Set<String> repositories;

  @ElementCollection
  @CollectionTable(name = "access_token_path", joinColumns = @JoinColumn(name = "token_id"))
  @Column(name = "prefix", nullable = false)
  private Set<String> paths;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected AccessTokenRow() {}

  /** Loads the scope unless the query fetched it. */
  AccessToken toAccessToken() {
    return new AccessToken(
        id,
        name,
        description,
        Role.valueOf(role),
        new Scope(repositories, paths),
        secretDigest,
        createdAt,
        expiresAt == null ? AccessToken.NEVER : expiresAt);
  }
}

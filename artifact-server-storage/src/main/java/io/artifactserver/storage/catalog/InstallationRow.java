package io.artifactserver.storage.catalog;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;

/** The one row of {@code installation}; read only. */
@Entity
@Table(name = "installation")
class InstallationRow {
  @Id private UUID id;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the field.
  protected InstallationRow() {}

  UUID id() {
    return id;
  }
}

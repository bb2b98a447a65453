package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A row of {@code blob}. */
record BlobRow(
    long id,
    BlobRef ref,
    Digest sha256,
    Instant createdAt,
    @Nullable Instant retiredAt,
    boolean suspect) {
  /** The columns of the table, which the statement calls {@code b}. */
  static final String COLUMNS =
      """
      b.id as blob_id, b.blob_key, b.length, b.encrypted as blob_encrypted, b.sha256,
      b.created_at as blob_created_at, b.retired_at, b.suspect_at is not null as suspect
      """;

  static BlobRow of(ResultSet row) throws SQLException {
    @Nullable Timestamp retiredAt = row.getTimestamp("retired_at");
    return new BlobRow(
        row.getLong("blob_id"),
        new BlobRef(
            row.getString("blob_key"), row.getLong("length"), row.getBoolean("blob_encrypted")),
        Digest.of(DigestAlgorithm.SHA_256, row.getBytes("sha256")),
        row.getTimestamp("blob_created_at").toInstant(),
        retiredAt == null ? null : retiredAt.toInstant(),
        row.getBoolean("suspect"));
  }

  boolean retired() {
    return retiredAt != null;
  }

  boolean isRetiredBefore(Instant instant) {
    return retiredAt != null && retiredAt.isBefore(instant);
  }
}

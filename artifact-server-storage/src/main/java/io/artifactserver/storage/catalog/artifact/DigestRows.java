package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rows of {@code blob_digest}; called within transactions. Immutable, thread-safe. */
public record DigestRows(JdbcClient jdbc) {
  /** All digests of a blob, which the statement calls {@code b}, in one row: no blob is without. */
  static final String JOIN =
      """
      cross join lateral (
        select array_agg(algorithm) as algorithms, array_agg(value) as digests
        from blob_digest where blob_id = b.id) d
      """;

  static final String COLUMNS = "d.algorithms, d.digests";

  static Digests of(ResultSet row) throws SQLException {
    String[] algorithms = (String[]) row.getArray("algorithms").getArray();
    byte[][] values = (byte[][]) row.getArray("digests").getArray();
    Map<DigestAlgorithm, Digest> digests = new EnumMap<>(DigestAlgorithm.class);
    for (int i = 0; i < algorithms.length; i++) {
      byte[] value = values[i];
      // An algorithm that a newer release added is of no use to this one.
      DigestAlgorithm.ofId(algorithms[i])
          .ifPresent(algorithm -> digests.put(algorithm, Digest.of(algorithm, value)));
    }
    return new Digests(digests);
  }

  /** Inserts those that the blob does not have yet. */
  void insert(long blobId, Digests digests) {
    for (Digest digest : digests.values().values()) {
      jdbc.sql(
              """
              insert into blob_digest (blob_id, algorithm, value)
              values (:blobId, :algorithm, :value)
              on conflict do nothing
              """)
          .param("blobId", blobId)
          .param("algorithm", digest.algorithm().id())
          .param("value", digest.bytes())
          .update();
    }
  }
}

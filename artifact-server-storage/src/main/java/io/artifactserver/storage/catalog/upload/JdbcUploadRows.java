package io.artifactserver.storage.catalog.upload;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.upload.UnfinishedUpload;
import io.artifactserver.core.upload.UploadProgress;
import io.artifactserver.core.upload.UploadRows;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The unfinished uploads in PostgreSQL. Immutable, thread-safe. */
public record JdbcUploadRows(CatalogTransactions transactions, JdbcClient jdbc)
    implements UploadRows {
  private static final String TERMS =
      "id, owner, repository, path, media_type, length, expected_digests, encrypted, blob_key,"
          + " position, is_open, is_complete, expires_at, is_part, parts, parts_in_place, metadata";

  @Override
  public void add(UnfinishedUpload upload) {
    IngestRequest request = upload.request();
    int _ =
        transactions.write(_ ->
            jdbc.sql(
                    """
                    insert into unfinished_upload (
                      id, owner, repository, path, media_type, length, expected_digests, encrypted,
                      blob_key, position, digest_states, store_state, is_open, is_complete,
                      expires_at, is_part, parts, parts_in_place, metadata)
                    values (
                      :id, :owner, :repository, :path, :mediaType, :length, :digests, :encrypted,
                      :blobKey, :position, :digestStates, :storeState, :isOpen, :isComplete,
                      :expiresAt, :isPart, :parts, :partsInPlace, :metadata)
                    """)
                .param("id", upload.id())
                .param("owner", upload.owner())
                .param("repository", request.id().repository())
                .param("path", request.id().path())
                .param("mediaType", request.mediaType())
                .param("length", length(request), Types.BIGINT)
                .param("digests", digests(request))
                .param("encrypted", upload.encrypted())
                .param("blobKey", upload.blobKey())
                .param("position", upload.progress().position())
                .param("digestStates", upload.progress().digests())
                .param("storeState", upload.progress().store())
                .param("isOpen", upload.progress().isOpen())
                .param("isComplete", upload.isComplete())
                .param("expiresAt", Timestamp.from(upload.expiresAt()))
                .param("isPart", upload.isPart())
                .param("parts", upload.parts().toArray(String[]::new))
                .param("partsInPlace", upload.progress().parts())
                .param("metadata", upload.metadata())
                .update());
  }

  @Override
  public Optional<UnfinishedUpload> find(String id) {
    return transactions.read(() ->
        jdbc.sql(
                "select "
                    + TERMS
                    + ", digest_states, store_state from unfinished_upload where id = :id")
            .param("id", id)
            .query((row, _) -> upload(row, row.getBytes(18), row.getBytes(19)))
            .optional());
  }

  @Override
  public boolean advance(String id, UploadProgress progress, Instant expiresAt) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                update unfinished_upload
                set position = :position, digest_states = :digestStates, store_state = :storeState,
                  is_open = :isOpen, expires_at = :expiresAt, parts_in_place = :partsInPlace
                where id = :id and not is_complete
                """)
            .param("id", id)
            .param("position", progress.position())
            .param("digestStates", progress.digests())
            .param("storeState", progress.store())
            .param("isOpen", progress.isOpen())
            .param("expiresAt", Timestamp.from(expiresAt))
            .param("partsInPlace", progress.parts())
            .update())
        == 1;
  }

  @Override
  public void declare(String id, IngestRequest request) {
    int _ =
        transactions.write(_ ->
            jdbc.sql(
                    """
                    update unfinished_upload set length = :length, expected_digests = :digests
                    where id = :id
                    """)
                .param("id", id)
                .param("length", length(request), Types.BIGINT)
                .param("digests", digests(request))
                .update());
  }

  @Override
  public void complete(String id, Instant expiresAt) {
    int _ =
        transactions.write(_ ->
            jdbc.sql(
                    """
                    update unfinished_upload
                    set is_complete = true, is_open = false, position = length,
                      digest_states = '', store_state = '', expires_at = :expiresAt
                    where id = :id
                    """)
                .param("id", id)
                .param("expiresAt", Timestamp.from(expiresAt))
                .update());
  }

  @Override
  public void extend(String id, Instant expiresAt) {
    int _ =
        transactions.write(_ ->
            jdbc.sql("update unfinished_upload set expires_at = :expiresAt where id = :id")
                .param("id", id)
                .param("expiresAt", Timestamp.from(expiresAt))
                .update());
  }

  @Override
  public void remove(String id) {
    int _ =
        transactions.write(
            _ -> jdbc.sql("delete from unfinished_upload where id = :id").param("id", id).update());
  }

  @Override
  public List<UnfinishedUpload> unfinished(String after, int limit) {
    return transactions.read(() ->
        jdbc.sql(
                "select "
                    + TERMS
                    + " from unfinished_upload where (not is_complete or is_part) and id > :after"
                    + " order by id limit :limit")
            .param("after", after)
            .param("limit", limit)
            .query((row, _) -> upload(row, new byte[0], new byte[0]))
            .list());
  }

  @Override
  public List<UnfinishedUpload> expiredBefore(Instant instant, int limit) {
    return transactions.read(() ->
        jdbc.sql(
                "select "
                    + TERMS
                    + " from unfinished_upload where expires_at < :instant"
                    + " order by expires_at, id limit :limit")
            .param("instant", Timestamp.from(instant))
            .param("limit", limit)
            .query((row, _) -> upload(row, new byte[0], new byte[0]))
            .list());
  }

  @Override
  public int removeCompleteBut(int keep) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                delete from unfinished_upload where id in (
                  select id from unfinished_upload where is_complete and not is_part
                  order by expires_at desc, id offset :keep)
                """)
            .param("keep", keep)
            .update());
  }

  @Override
  public Set<String> blobKeys() {
    return transactions.read(() ->
        new HashSet<>(
            jdbc.sql("select blob_key from unfinished_upload where not is_complete or is_part")
                .query((row, _) -> row.getString(1))
                .list()));
  }

  private static UnfinishedUpload upload(ResultSet row, byte[] digestStates, byte[] storeState)
      throws SQLException {
    long stored = row.getLong(6);
    long length = row.wasNull() ? IngestRequest.UNKNOWN_LENGTH : stored;
    IngestRequest request =
        new IngestRequest(
            new ArtifactId(row.getString(3), row.getString(4)),
            row.getString(5),
            length,
            digests((String[]) row.getArray(7).getArray()));
    return new UnfinishedUpload(
        row.getString(1),
        row.getString(2),
        request,
        row.getString(17),
        row.getBoolean(8),
        row.getString(9),
        new UploadProgress(
            row.getLong(10), digestStates, storeState, row.getBoolean(11), row.getInt(16)),
        row.getBoolean(14),
        List.of((String[]) row.getArray(15).getArray()),
        row.getBoolean(12),
        row.getTimestamp(13).toInstant());
  }

  private static @Nullable Long length(IngestRequest request) {
    long length = request.declaredLength();
    return length == IngestRequest.UNKNOWN_LENGTH ? null : length;
  }

  private static String[] digests(IngestRequest request) {
    return request.expectedDigests().stream().map(Digest::toString).toArray(String[]::new);
  }

  private static List<Digest> digests(String[] texts) {
    return Arrays.stream(texts)
        .map(text -> {
          int colon = text.indexOf(':');
          return new Digest(
              DigestAlgorithm.ofId(text.substring(0, colon)).orElseThrow(),
              text.substring(colon + 1));
        })
        .toList();
  }
}

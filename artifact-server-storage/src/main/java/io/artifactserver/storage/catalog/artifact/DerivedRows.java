package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rows of {@code derived}; called within transactions. Immutable, thread-safe. */
public record DerivedRows(JdbcClient jdbc) {
  List<Derived> of(String key) {
    return jdbc.sql(
            """
            select d.form, d.blob_key, d.length, d.sha256, d.created_at, b.encrypted
            from derived d join blob b on b.id = d.blob_id
            where b.blob_key = :key
            order by d.form
            """)
        .param("key", key)
        .query((row, _) -> derived(row, row.getString(1), 2, row.getBoolean(6)))
        .list();
  }

  /**
   * Returns the form of a row.
   *
   * @param column the first of four: the form's blob, its length, its digest, and its time
   */
  private static Derived derived(ResultSet row, String form, int column, boolean encrypted)
      throws SQLException {
    // The three are null together: the table has a check.
    @Nullable String key = row.getString(column);
    return key == null
        ? new Derived.Skipped(form)
        : new Derived.Stored(
            form,
            new BlobRef(key, row.getLong(column + 1), encrypted),
            Digest.of(DigestAlgorithm.SHA_256, row.getBytes(column + 2)),
            row.getTimestamp(column + 3).toInstant());
  }

  /** The blobs that keep the forms of a blob. */
  List<BlobRef> stored(String key) {
    return of(key).stream()
        .filter(Derived.Stored.class::isInstance)
        .map(form -> ((Derived.Stored) form).blob())
        .toList();
  }

  /**
   * Blobs with fewer than all of {@code forms} that are neither retired nor suspect, and whose
   * forms some repository wants.
   */
  List<BlobRow> missing(
      Collection<String> forms, long minLength, long maxLength, String after, int limit) {
    return jdbc.sql(
            "select "
                + BlobRow.COLUMNS
                + """
                from blob b
                where b.blob_key > :after and b.length between :minLength and :maxLength
                  and b.retired_at is null and b.suspect_at is null
                  and (
                    select count(*) from derived d
                    where d.blob_id = b.id and d.form = any(:forms)) < :count
                  and exists (
                    select from artifact a
                    left join repository_forms f on f.repository_id = a.repository_id
                    where a.blob_id = b.id
                      and (f.patterns is null or fits_form_paths(a.path, f.patterns)))
                order by b.blob_key
                limit :limit
                """)
        .param("after", after)
        .param("minLength", minLength)
        .param("maxLength", maxLength)
        .param("forms", forms.toArray(String[]::new))
        .param("count", forms.size())
        .param("limit", limit)
        .query((row, _) -> BlobRow.of(row))
        .list();
  }

  /** Returns 0 if the form is known. */
  int insert(long blobId, Derived.Stored form) {
    return jdbc.sql(
            """
            insert into derived (blob_id, form, blob_key, length, sha256, created_at)
            values (:blobId, :form, :key, :length, :sha256, :createdAt)
            on conflict (blob_id, form) do nothing
            """)
        .param("blobId", blobId)
        .param("form", form.form())
        .param("key", form.blob().key())
        .param("length", form.blob().length())
        .param("sha256", form.sha256().bytes())
        .param("createdAt", Timestamp.from(form.createdAt().truncatedTo(ChronoUnit.MICROS)))
        .update();
  }

  /** As {@link #insert}, of a form that is not made. */
  int skip(long blobId, String form) {
    return jdbc.sql(
            """
            insert into derived (blob_id, form, created_at) values (:blobId, :form, now())
            on conflict (blob_id, form) do nothing
            """)
        .param("blobId", blobId)
        .param("form", form)
        .update();
  }

  void delete(long blobId) {
    jdbc.sql("delete from derived where blob_id = :blobId").param("blobId", blobId).update();
  }

  /**
   * Artifacts of some length right in a folder, newest first; with the rows of both forms, or null.
   *
   * @param end the least path behind all that begin with {@code folder}
   * @param length of the folder, in code points
   * @param own empty, or the only path, with or without a suffix
   */
  List<Listed> folder(
      String repository,
      String folder,
      String end,
      int length,
      String own,
      String form,
      String second,
      long minLength,
      int limit) {
    return jdbc.sql(
            """
            select a.path, b.length, b.sha256, b.encrypted,
              d.form, d.blob_key, d.length, d.sha256, d.created_at,
              s.form, s.blob_key, s.length, s.sha256, s.created_at
            from artifact a
            join blob b on b.id = a.blob_id
            join repository r on r.id = a.repository_id
            left join derived d on d.blob_id = b.id and d.form = :form
            left join derived s on s.blob_id = b.id and s.form = :second
            where r.name = :repository and a.path >= :folder and a.path < :end
              and strpos(substr(a.path, :length + 1), '/') = 0 and b.length >= :minLength
              and (:own = '' or a.path = :own
                or (strpos(a.path, :own || '.') = 1
                  and strpos(substr(a.path, :ownLength + 2), '.') = 0))
            order by a.created_at desc, a.id desc
            limit :limit
            """)
        .param("form", form)
        .param("second", second)
        .param("repository", repository)
        .param("folder", folder)
        .param("end", end)
        .param("length", length)
        .param("minLength", minLength)
        .param("own", own)
        .param("ownLength", own.codePointCount(0, own.length()))
        .param("limit", limit)
        .query((row, _) -> {
          boolean encrypted = row.getBoolean(4);
          @Nullable String first = row.getString(5);
          @Nullable String other = row.getString(10);
          return new Listed(
              row.getString(1),
              row.getLong(2),
              Digest.of(DigestAlgorithm.SHA_256, row.getBytes(3)),
              first == null ? null : derived(row, first, 6, encrypted),
              other == null ? null : derived(row, other, 11, encrypted));
        })
        .list();
  }

  /** Paths of artifacts at addresses that chunks of a folder may have. */
  List<String> likeChunks(String repository, String folder, String end, int length, int limit) {
    return jdbc.sql(
            """
            select a.path from artifact a join repository r on r.id = a.repository_id
            where r.name = :repository and a.path >= :folder and a.path < :end
              and substr(a.path, :length + 1)
                ~ '^[^/]*[.]castr/[0-9a-f]{4}/[0-9a-f]{64}([.]cacnk)?$'
            limit :limit
            """)
        .param("repository", repository)
        .param("folder", folder)
        .param("end", end)
        .param("length", length)
        .param("limit", limit)
        .query((row, _) -> row.getString(1))
        .list();
  }

  /** An artifact of a folder; a form is null if the blob has no row of it. */
  record Listed(
      String path, long length, Digest sha256, @Nullable Derived form, @Nullable Derived second) {}
}

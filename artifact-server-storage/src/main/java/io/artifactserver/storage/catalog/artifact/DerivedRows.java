package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.derive.Derived;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.NativeQuery;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** Rows of the forms that blobs have. For the wiring; thread-safe. */
public interface DerivedRows extends Repository<DerivedRow, Long> {
  @Query("select d from DerivedRow d join fetch d.blob b where b.key = :key order by d.form")
  List<DerivedRow> of(String key);

  /** The blobs that keep the forms of a blob. */
  default List<BlobRef> stored(String key) {
    return of(key).stream()
        .map(DerivedRow::toDerived)
        .filter(Derived.Stored.class::isInstance)
        .map(form -> ((Derived.Stored) form).blob())
        .toList();
  }

  /**
   * Blobs with fewer than {@code count} of {@code forms} that are neither retired nor suspect, and
   * whose forms some repository wants.
   */
  @NativeQuery(
      """
      select b.* from blob b
      where b.blob_key > :after and b.length between :minLength and :maxLength
        and b.retired_at is null and b.suspect_at is null
        and (select count(*) from derived d where d.blob_id = b.id and d.form in :forms)
          < :count
        and exists (
          select from artifact a
          left join repository_forms f on f.repository_id = a.repository_id
          where a.blob_id = b.id
            and (f.patterns is null or fits_form_paths(a.path, f.patterns)))
      order by b.blob_key
      limit :limit
      """)
  List<BlobRow> missing(
      Collection<String> forms,
      long count,
      long minLength,
      long maxLength,
      String after,
      int limit);

  /** Returns 0 if the form is known. */
  @Modifying
  @NativeQuery(
      """
      insert into derived (blob_id, form, blob_key, length, sha256, created_at)
      values (:blobId, :form, :key, :length, :sha256, :createdAt)
      on conflict (blob_id, form) do nothing
      """)
  int insert(long blobId, String form, String key, long length, byte[] sha256, Instant createdAt);

  /** As {@link #insert}, of a form that is not made. */
  @Modifying
  @NativeQuery(
      """
      insert into derived (blob_id, form, created_at) values (:blobId, :form, now())
      on conflict (blob_id, form) do nothing
      """)
  int skip(long blobId, String form);

  @Modifying
  @NativeQuery("delete from derived where blob_id = :blobId")
  int delete(long blobId);

  /**
   * Artifacts of some length right in a folder, newest first; with the rows of both forms, or null.
   *
   * @param end the least path behind all that begin with {@code folder}
   * @param own empty, or the only path, with or without a suffix
   */
  @Query(
      """
      select a, d, s from ArtifactRow a join fetch a.blob b join fetch a.repository r
      left join DerivedRow d on d.blob = b and d.form = :form
      left join DerivedRow s on s.blob = b and s.form = :second
      where r.name = :repository and a.path >= :folder and a.path < :end
        and locate('/', a.path, :length + 1) = 0 and b.length >= :minLength
        and (:own = '' or a.path = :own
          or (locate(concat(:own, '.'), a.path) = 1 and locate('.', a.path, :ownLength + 2) = 0))
      order by a.createdAt desc, a.id desc
      """)
  List<Object[]> folder(
      String repository,
      String folder,
      String end,
      int length,
      String own,
      int ownLength,
      String form,
      String second,
      long minLength,
      Limit limit);

  /** Paths of artifacts at addresses that chunks of a folder may have. */
  @NativeQuery(
      """
      select a.path from artifact a join repository r on r.id = a.repository_id
      where r.name = :repository and a.path >= :folder and a.path < :end
        and substr(a.path, :length + 1)
          ~ '^[^/]*[.]castr/[0-9a-f]{4}/[0-9a-f]{64}([.]cacnk)?$'
      limit :limit
      """)
  List<String> likeChunks(String repository, String folder, String end, int length, int limit);
}

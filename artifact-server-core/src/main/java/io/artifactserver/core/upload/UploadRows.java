package io.artifactserver.core.upload;

import io.artifactserver.core.ingest.IngestRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps unfinished uploads. Thread-safe; every method asks the database and may block, what it
 * changes is durable when it returns, and it throws {@link
 * io.artifactserver.core.catalog.CatalogUnavailableException} (unchecked) if it cannot.
 */
public interface UploadRows {
  /** Keeps an upload that begins. */
  void add(UnfinishedUpload upload);

  /** The upload of this id, complete or not. */
  Optional<UnfinishedUpload> find(String id);

  /**
   * Keeps how far an upload has come.
   *
   * @return false if there is no such upload any more
   */
  boolean advance(String id, UploadProgress progress, Instant expiresAt);

  /** Keeps the length and the digests of an upload that did not have them. */
  void declare(String id, IngestRequest request);

  /** Keeps that the artifact of an upload, or the blob of a part, is there; forgets its states. */
  void complete(String id, Instant expiresAt);

  /** Keeps an upload for longer, whether it is complete or not. */
  void extend(String id, Instant expiresAt);

  /** Forgets an upload. May be repeated. */
  void remove(String id);

  /**
   * A page of the uploads that are not complete, and of parts, by id.
   *
   * @param after their ids are greater than this; empty for the first page
   */
  List<UnfinishedUpload> unfinished(String after, int limit);

  /** Uploads, complete or not, that expired before {@code instant}. */
  List<UnfinishedUpload> expiredBefore(Instant instant, int limit);

  /**
   * Forgets the complete uploads, parts apart, that expire first, until there are at most {@code
   * keep}.
   *
   * @return how many were forgotten
   */
  int removeCompleteBut(int keep);

  /**
   * The blob keys of all uploads that are not complete, and of parts: the sweeper leaves them
   * alone.
   */
  Set<String> blobKeys();
}

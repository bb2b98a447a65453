package io.artifactserver.core.migrate;

/** Follows a migration. Called by several threads. */
public interface MigrationObserver {
  /**
   * Announces the work ahead.
   *
   * @param blobs a count, of those to verify included
   * @param bytes of them together
   */
  void planned(long blobs, long bytes);

  /** So many more bytes were copied, or verified if they were in the target before. */
  void transferred(long bytes);

  /** A blob is in the target, verified. */
  void done();

  /**
   * A blob was not copied.
   *
   * @param reason for people; names the blob
   */
  void failed(String reason);
}

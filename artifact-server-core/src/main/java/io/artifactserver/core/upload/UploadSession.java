package io.artifactserver.core.upload;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestResult;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * One request's hold on an unfinished upload, until a newer request takes it. Used by one thread
 * and closed by it. Every method but {@link #close()} throws {@link UploadException.Superseded}
 * once the hold is lost, and may block for the backend and the database.
 */
public final class UploadSession implements AutoCloseable {
  private final LiveUpload upload;
  private final Runnable onSuperseded;

  UploadSession(LiveUpload upload, Runnable onSuperseded) {
    this.upload = upload;
    this.onSuperseded = onSuperseded;
  }

  /** How the upload stands: its position is where the next byte goes. No I/O. */
  public UploadStatus status() {
    return upload.status();
  }

  /** How many bytes are durable: no crash takes them away. No I/O. */
  public long kept() {
    return upload.bytes().kept();
  }

  /**
   * Checks that the next byte of a request is the one that the upload waits for. No I/O.
   *
   * @throws UploadException.WrongPosition if it is not
   */
  public void requirePosition(long offered) throws UploadException {
    upload.requirePosition(this, offered);
  }

  /**
   * Says how long the upload is, if that was not known, and reserves the room.
   *
   * @param length in bytes
   * @throws UploadException.WrongLength if it has another length, or more bytes already
   * @throws IngestException if there is no room
   */
  public void declare(long length) throws UploadException, IngestException {
    upload.declare(this, length);
  }

  /**
   * Says which digests the whole upload must have, for {@link #complete}. Those of other algorithms
   * that were said before stay.
   */
  public void expect(List<Digest> digests) throws UploadException {
    upload.expect(this, digests);
  }

  /**
   * Appends the remaining bytes of a buffer with an array. They are kept when the session is {@link
   * #pause() paused} or closed, and at intervals before.
   *
   * @throws UploadException.WrongLength if the upload is not as long; none of them is kept
   * @throws IngestException if there is no room
   * @throws StorageException if the backend did not take them; what was kept before is still there
   */
  public void append(ByteBuffer bytes) throws UploadException, IngestException, StorageException {
    upload.append(this, bytes);
  }

  /**
   * Keeps everything so far, and nothing of what follows before the next pause: so that {@link
   * #rollBack()} returns here.
   */
  public void mark() throws UploadException, StorageException {
    upload.mark(this);
  }

  /** Drops all bytes that came since {@link #mark()}. */
  public void rollBack() throws UploadException {
    upload.rollBack(this);
  }

  /**
   * Makes everything durable, and gives back what the upload holds. It goes on with the next {@link
   * #append}.
   *
   * @return the position
   */
  public long pause() throws UploadException, StorageException {
    return upload.pause(this);
  }

  /**
   * Makes the bytes an artifact, if they are all there. Otherwise as {@link
   * io.artifactserver.core.ingest.ArtifactIngest#complete}.
   *
   * @return the artifact; empty if the upload is a part, whose bytes wait for the others now
   * @throws UploadException.WrongLength if bytes are missing
   * @throws IngestException if the sender is at fault; the upload is over, and nothing is kept
   * @throws StorageException if the store is at fault; another request may complete the upload
   */
  public Optional<IngestResult> complete()
      throws UploadException, IngestException, StorageException {
    return upload.complete(this);
  }

  /** Keeps what came, as far as that is possible, and lets the upload go. May be repeated. */
  @Override
  public void close() {
    upload.release(this);
  }

  /** Keeps a part that was appended, and takes its room over. */
  void endPart(LiveUpload part) throws UploadException, IngestException, StorageException {
    upload.endPart(this, part);
  }

  /** How many parts have been appended. */
  int partsInPlace() {
    return upload.bytes().parts();
  }

  /** How many of them are durable. */
  int partsKept() {
    return upload.bytes().keptParts();
  }

  void superseded() {
    onSuperseded.run();
  }
}

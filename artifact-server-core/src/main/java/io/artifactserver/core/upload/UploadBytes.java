package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.ingest.IngestException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an unfinished upload: those that are durable, as its row says, and those behind
 * them. The first write resumes from the row; a pause releases everything that is held. Used under
 * the lock of the upload, except for the methods that only return a value.
 *
 * <p>A {@link StorageException.BlobLost} means that the durable bytes are gone, or that a client
 * sent other bytes where the same ones had to come again: the upload is over then.
 */
final class UploadBytes {
  private final UploadPorts ports;
  private final UploadBounds bounds;

  /** As it was found or begun. */
  private final UnfinishedUpload upload;

  private final UploadRow row;
  private final UploadPositions positions;
  private final PendingCheckpoint pending = new PendingCheckpoint();

  /** Whether the place to go on is known: not after a process died, or a write failed. */
  private final AtomicBoolean isSettled;

  /** Whether the last checkpoint of this attempt was made while writing went on. */
  private final AtomicBoolean goesOn = new AtomicBoolean();

  /** When the last checkpoint was made. */
  private final AtomicReference<Instant> checkpointAt = new AtomicReference<>(Instant.EPOCH);

  private final OpenUploads opens;
  private final Runnable giveBack;
  private final AtomicReference<@Nullable DigestedBlob> writing = new AtomicReference<>();

  /**
   * @param opens bounds those that are open
   * @param giveBack pauses this one, unless it is at work
   */
  UploadBytes(
      UploadPorts ports,
      UploadBounds bounds,
      UnfinishedUpload upload,
      OpenUploads opens,
      Runnable giveBack) {
    this.opens = opens;
    this.giveBack = giveBack;
    this.ports = ports;
    this.bounds = bounds;
    this.upload = upload;
    this.row = new UploadRow(ports, bounds, upload);
    this.positions = new UploadPositions(upload.progress());
    this.isSettled = new AtomicBoolean(upload.progress().position() == 0);
  }

  long position() {
    return positions.written();
  }

  long kept() {
    return positions.kept();
  }

  int parts() {
    return positions.parts();
  }

  int keptParts() {
    return positions.keptParts();
  }

  Instant expiresAt() {
    return row.expiresAt();
  }

  /** Whether a checkpoint is due. */
  boolean isDue() {
    @Nullable DigestedBlob open = writing.get();
    return bounds.isDue(
        positions.written(),
        positions.lastCheckpoint(),
        goesOn.get(),
        open != null && open.blob().isRecoverable(),
        Duration.between(checkpointAt.get(), ports.clock().instant()));
  }

  /**
   * Finds the place to go on, if it is not known: the row's, or behind it what can be recovered of
   * the bytes that a dead process has written, or this one before a failure. I/O.
   *
   * @throws UploadException.NotFound if the row is gone
   */
  void settle() throws UploadException.NotFound, StorageException {
    if (isSettled.get()) {
      return;
    }
    UnfinishedUpload found = row.find();
    UploadProgress progress = found.progress();
    positions.goTo(progress);
    isSettled.set(true);
    if (!progress.hasCheckpoint()
        || !progress.isOpen()
        || !upload.parts().isEmpty()
        || progress.position() == found.request().declaredLength()) {
      // Nothing was written behind it, or all bytes are there, and their blob may be committed.
      return;
    }
    DigestedBlob open = open();
    try {
      open.recover(length -> positions.writtenTo(positions.written() + length));
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
    // Even of nothing: bytes that come now are not taken for those of then.
    pause();
  }

  /** Appends the remaining bytes of a buffer with an array. If that fails, goes back. */
  void write(ByteBuffer bytes) throws UploadException.NotFound, StorageException {
    if (pending.isDone()) {
      awaitKept();
    }
    long end = positions.written() + bytes.remaining();
    DigestedBlob open = open();
    try {
      open.write(bytes);
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
    positions.writtenTo(end);
  }

  /** A part is behind these bytes now. */
  void addPart() {
    positions.addPart();
  }

  /**
   * Makes durable what is written, and goes on.
   *
   * @throws UploadException.NotFound if the row is gone
   */
  void checkpoint() throws UploadException.NotFound, StorageException {
    checkpointAside();
    awaitKept();
  }

  /**
   * The same without waiting for the disk and the database, but for the checkpoint before: bytes
   * come meanwhile. If it fails, the next use of the bytes does.
   */
  void checkpointAside() throws UploadException.NotFound, StorageException {
    awaitKept();
    DigestedBlob open = open();
    if (open.blob().mayCheckpoint()) {
      UploadProgress progress = mark(open, true);
      pending.start(() -> keep(open, progress));
    }
  }

  /** Makes durable what is written, and gives back what is held. The place is known then. */
  void pause() throws UploadException.NotFound, StorageException {
    settle();
    awaitKept();
    @Nullable DigestedBlob open = writing.get();
    if (open != null && !open.blob().mayCheckpoint()) {
      drop();
    } else if (open != null) {
      checkpointAtEnd(open);
      @Nullable DigestedBlob _ = closed();
      open.blob().leave();
    }
  }

  /**
   * As {@link #pause}, if anything is held: a request that lost its place must not get another. So
   * bytes that cannot be kept now stay where they are.
   */
  void rest() throws UploadException.NotFound, StorageException {
    @Nullable DigestedBlob open = writing.get();
    if (open != null && open.blob().mayCheckpoint()) {
      pause();
    }
  }

  /** Goes back to the last checkpoint, and gives back what is held. */
  void drop() {
    Optional<Exception> _ = pending.await();
    @Nullable DigestedBlob open = closed();
    if (open != null) {
      open.blob().leave();
    }
    positions.goBack();
  }

  /** As {@link #drop}, where some of the bytes can be recovered, or the row may be behind them. */
  private void lose() {
    drop();
    isSettled.set(false);
  }

  /**
   * Forgets all bytes.
   *
   * @param removed the row as it was before it was removed, if it was there
   */
  void forget(@Nullable UnfinishedUpload removed) {
    Optional<Exception> _ = pending.await();
    @Nullable DigestedBlob open = closed();
    if (open != null) {
      open.blob().close();
    } else if (removed != null) {
      row.discardBlob(removed);
    }
  }

  /**
   * Hands all bytes, durable and digested, to a consumer that commits or drops them. They are
   * written on after a failure of the store, and never after another.
   */
  <T> T finish(Finish<T> finish)
      throws UploadException.NotFound, IngestException, StorageException {
    awaitKept();
    DigestedBlob open = open();
    // The row has the digests of all bytes before the blob is committed: if this process dies then,
    // they tell the next one whether the artifact is there.
    if (open.blob().mayCheckpoint()) {
      checkpointAtEnd(open);
    }
    try {
      T result = finish.finish(open.blob(), open.digester().digests());
      @Nullable DigestedBlob _ = closed();
      open.blob().close();
      return result;
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
  }

  /** The digests that the row has, of all bytes. */
  Digests keptDigests(UploadProgress progress) throws StorageException.BlobCorrupt {
    return row.resumeDigests(progress).digests();
  }

  private @Nullable DigestedBlob closed() {
    opens.closed(this);
    return writing.getAndSet(null);
  }

  private DigestedBlob open() throws UploadException.NotFound, StorageException {
    if (!isSettled.get()) {
      // Its request went on after a failure: the bytes belong elsewhere.
      throw new StorageException.StorageUnavailable(
          ports.stores().plain().name(),
          "upload %s has failed, and goes on with its next request".formatted(upload.id()),
          null);
    }
    @Nullable DigestedBlob open = writing.get();
    if (open == null) {
      open = row.resume(row.find());
      writing.set(open);
      goesOn.set(false);
      opens.opened(this, giveBack);
    }
    return open;
  }

  /** Makes durable what is written, behind which nothing is until the row is resumed. */
  private void checkpointAtEnd(DigestedBlob open)
      throws UploadException.NotFound, StorageException {
    UploadProgress progress = mark(open, false);
    try {
      keep(open, progress);
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
  }

  private UploadProgress mark(DigestedBlob open, boolean isOpen) throws StorageException {
    try {
      byte[] state = isOpen ? open.blob().checkpointAndGoOn() : open.blob().checkpoint();
      positions.checkpoint();
      checkpointAt.set(ports.clock().instant());
      goesOn.set(isOpen);
      return new UploadProgress(
          positions.written(),
          open.digester().save(ports.digests()),
          state,
          isOpen || row.hasMore(),
          positions.parts());
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
  }

  /** Makes a checkpoint durable: the bytes, then the row that says so. */
  private void keep(DigestedBlob open, UploadProgress progress)
      throws UploadException.NotFound, StorageException {
    open.blob().force();
    if (!row.advance(progress)) {
      throw new UploadException.NotFound(upload.id());
    }
    open.blob().kept();
    positions.keep(progress);
  }

  /** Waits until the last checkpoint is durable. If that failed, goes back. */
  private void awaitKept() throws UploadException.NotFound, StorageException {
    @Nullable Exception failure = pending.await().orElse(null);
    if (failure == null) {
      return;
    }
    if (failure instanceof UploadException.NotFound e) {
      throw e;
    }
    lose();
    switch (failure) {
      case StorageException e -> throw e;
      case RuntimeException e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }

  /** Commits bytes, or drops them. */
  @FunctionalInterface
  interface Finish<T> {
    T finish(BlobUpload blob, Digests digests) throws IngestException, StorageException;
  }
}

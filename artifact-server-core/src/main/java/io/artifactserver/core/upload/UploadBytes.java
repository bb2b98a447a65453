package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.digest.MultiDigester;
import io.artifactserver.core.ingest.IngestException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an unfinished upload: those that are durable, as its row says, and those behind
 * them. It goes on from the row when it is first needed, and holds nothing after a pause. Used
 * under the lock of its upload, but for the methods that only tell.
 *
 * <p>A {@link StorageException.BlobLost} says that the durable bytes are gone, or that bytes which
 * had to come again as they were did not: the upload is over then.
 */
final class UploadBytes {
  private final UploadPorts ports;
  private final UploadBounds bounds;

  /** As it was found or begun. */
  private final UnfinishedUpload upload;

  /** Bytes that are written. */
  private final AtomicLong position;

  /** Bytes that are durable. */
  private final AtomicLong kept;

  /** Bytes up to the last checkpoint, which may not be durable yet. */
  private final AtomicLong marked;

  /** Makes that checkpoint durable; its failure, if there is one. */
  private final AtomicReference<@Nullable CompletableFuture<Optional<Exception>>> keeping =
      new AtomicReference<>();

  /** Parts that are in the bytes that are written. */
  private final AtomicInteger parts;

  /** Parts that are in the bytes that are durable. */
  private final AtomicInteger keptParts;

  /** Whether an earlier attempt may have written behind the checkpoint of today's. */
  private final AtomicBoolean hasMore = new AtomicBoolean();

  /** Whether the row's place is known: not after a process died, or a write failed. */
  private final AtomicBoolean isSettled;

  /** Whether the checkpoint of today was made while writing went on. */
  private final AtomicBoolean isRecoverable = new AtomicBoolean();

  private final OpenUploads opens;
  private final Runnable giveBack;
  private final AtomicReference<Instant> expiresAt;
  private final AtomicReference<@Nullable Writing> writing = new AtomicReference<>();

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
    this.position = new AtomicLong(upload.progress().position());
    this.kept = new AtomicLong(upload.progress().position());
    this.marked = new AtomicLong(upload.progress().position());
    this.parts = new AtomicInteger(upload.progress().parts());
    this.keptParts = new AtomicInteger(upload.progress().parts());
    this.isSettled = new AtomicBoolean(upload.progress().position() == 0);
    this.expiresAt = new AtomicReference<>(upload.expiresAt());
  }

  long position() {
    return position.get();
  }

  long kept() {
    return kept.get();
  }

  int parts() {
    return parts.get();
  }

  Instant expiresAt() {
    return expiresAt.get();
  }

  /** Whether a checkpoint is due. */
  boolean isDue() {
    return bounds.isDue(position.get(), marked.get(), isRecoverable.get());
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
    UnfinishedUpload row = row();
    UploadProgress progress = row.progress();
    position.set(progress.position());
    kept.set(progress.position());
    marked.set(progress.position());
    parts.set(progress.parts());
    keptParts.set(progress.parts());
    isSettled.set(true);
    if (!progress.hasCheckpoint()
        || !progress.isOpen()
        || !upload.parts().isEmpty()
        || progress.position() == row.request().declaredLength()) {
      // Nothing was written behind it, or all bytes are there, and their blob may be committed.
      return;
    }
    Writing open = open();
    try {
      open.blob()
          .recover(
              1,
              bytes -> {
                int length = bytes.remaining();
                open.digester().update(bytes.duplicate()).join();
                position.addAndGet(length);
                return length;
              });
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
    // Even of nothing: bytes that come now are not taken for those of then.
    pause();
  }

  /** Appends the remaining bytes of a buffer with an array. If that fails, goes back. */
  void write(ByteBuffer bytes) throws UploadException.NotFound, StorageException {
    @Nullable CompletableFuture<?> last = keeping.get();
    if (last != null && last.isDone()) {
      awaitKept();
    }
    long end = position.get() + bytes.remaining();
    Writing open = open();
    try {
      CompletableFuture<Void> digested = open.digester().update(bytes.duplicate());
      try {
        open.blob().write(bytes);
      } finally {
        digested.join();
      }
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
    position.set(end);
  }

  /** A part is behind these bytes now. */
  void addPart() {
    parts.incrementAndGet();
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
    Writing open = open();
    if (open.blob().mayCheckpoint()) {
      UploadProgress progress = mark(open, true);
      keeping.set(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  keep(open, progress);
                  return Optional.empty();
                } catch (StorageException | UploadException.NotFound | RuntimeException e) {
                  return Optional.of(e);
                }
              },
              Thread::startVirtualThread));
    }
  }

  /** Makes durable what is written, and gives back what is held. The place is known then. */
  void pause() throws UploadException.NotFound, StorageException {
    settle();
    awaitKept();
    @Nullable Writing open = writing.get();
    if (open != null && !open.blob().mayCheckpoint()) {
      drop();
    } else if (open != null) {
      checkpoint(open, false);
      @Nullable Writing _ = closed();
      open.blob().leave();
    }
  }

  /** As {@link #pause}, if anything is held: a request that lost its place must not get another. */
  void rest() throws UploadException.NotFound, StorageException {
    if (writing.get() != null) {
      pause();
    }
  }

  /** Goes back to the last checkpoint, and gives back what is held. */
  void drop() {
    Optional<Exception> _ = kept(keeping.getAndSet(null));
    @Nullable Writing open = closed();
    if (open != null) {
      open.blob().leave();
    }
    position.set(kept.get());
    marked.set(kept.get());
    parts.set(keptParts.get());
  }

  /** As {@link #drop}, where some of the bytes can be recovered, or the row may be behind them. */
  private void lose() {
    drop();
    isSettled.set(false);
  }

  /** Forgets all bytes. The row is gone, or will be. */
  void forget(@Nullable UnfinishedUpload row) {
    Optional<Exception> _ = kept(keeping.getAndSet(null));
    @Nullable Writing open = closed();
    if (open != null) {
      open.blob().close();
    } else if (row != null && row.progress().hasCheckpoint()) {
      try {
        ports.stores().of(row.encrypted()).discard(checkpointOf(row));
      } catch (StorageException _) {
        // Encrypted, and there is no key ring any more: the sweeper removes it.
      }
    }
  }

  /**
   * Hands all bytes, durable and digested, to a consumer that commits or drops them. They are
   * written on after a failure of the store, and never after another.
   */
  <T> T finish(Finish<T> finish)
      throws UploadException.NotFound, IngestException, StorageException {
    awaitKept();
    Writing open = open();
    // The row has the digests of all bytes before the blob is committed: if this process dies then,
    // they tell the next one whether the artifact is there.
    if (open.blob().mayCheckpoint()) {
      checkpoint(open, false);
    }
    try {
      T result = finish.finish(open.blob(), open.digester().digests());
      @Nullable Writing _ = closed();
      open.blob().close();
      return result;
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
  }

  /** The digests that the row has, of all bytes. */
  Digests keptDigests(UploadProgress progress) throws StorageException.BlobCorrupt {
    return digester(progress).digests();
  }

  private @Nullable Writing closed() {
    opens.closed(this);
    return writing.getAndSet(null);
  }

  private Writing open() throws UploadException.NotFound, StorageException {
    if (!isSettled.get()) {
      // Its request went on after a failure: the bytes belong elsewhere.
      throw new StorageException.StorageUnavailable(
          ports.stores().plain().name(),
          "upload %s has failed, and goes on with its next request".formatted(upload.id()),
          null);
    }
    @Nullable Writing open = writing.get();
    if (open == null) {
      UnfinishedUpload row = row();
      MultiDigester digester = digester(row.progress());
      open = new Writing(blob(row), digester);
      writing.set(open);
      isRecoverable.set(false);
      opens.opened(this, giveBack);
    }
    return open;
  }

  private UnfinishedUpload row() throws UploadException.NotFound {
    return ports
        .rows()
        .find(upload.id())
        .orElseThrow(() -> new UploadException.NotFound(upload.id()));
  }

  private void checkpoint(Writing open, boolean isOpen)
      throws UploadException.NotFound, StorageException {
    UploadProgress progress = mark(open, isOpen);
    try {
      keep(open, progress);
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
  }

  private UploadProgress mark(Writing open, boolean isOpen) throws StorageException {
    try {
      byte[] state = isOpen ? open.blob().checkpointAndGoOn() : open.blob().checkpoint();
      marked.set(position.get());
      isRecoverable.set(isOpen);
      return new UploadProgress(
          position.get(),
          open.digester().save(ports.digests()),
          state,
          isOpen || hasMore.get(),
          parts.get());
    } catch (StorageException | RuntimeException e) {
      lose();
      throw e;
    }
  }

  /** Makes a checkpoint durable: the bytes, then the row that says so. */
  private void keep(Writing open, UploadProgress progress)
      throws UploadException.NotFound, StorageException {
    open.blob().force();
    if (!advance(progress)) {
      throw new UploadException.NotFound(upload.id());
    }
    open.blob().kept();
    kept.set(progress.position());
    keptParts.set(progress.parts());
  }

  /** Waits until the last checkpoint is durable. If that failed, goes back. */
  private void awaitKept() throws UploadException.NotFound, StorageException {
    @Nullable Exception failure = kept(keeping.getAndSet(null)).orElse(null);
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

  private static Optional<Exception> kept(
      @Nullable CompletableFuture<Optional<Exception>> keeping) {
    return keeping == null ? Optional.empty() : keeping.join();
  }

  private BlobUpload blob(UnfinishedUpload row) throws StorageException {
    UploadProgress progress = row.progress();
    BlobStore store = ports.stores().of(row.encrypted());
    if (!progress.hasCheckpoint()) {
      return store.begin(row.blobKey());
    }
    BlobUpload blob = store.resume(checkpointOf(row));
    if (row.encrypted()) {
      try {
        markOpen(progress);
      } catch (RuntimeException e) {
        blob.leave();
        throw e;
      }
    }
    return blob;
  }

  /**
   * Before the first byte behind the checkpoint: whoever finds the row must know that there may be
   * more. If there was more before, that is so until the upload is over: nobody knows how far it
   * goes.
   */
  private void markOpen(UploadProgress progress) {
    if (progress.isOpen()) {
      hasMore.set(true);
    } else {
      boolean _ =
          advance(
              new UploadProgress(
                  progress.position(),
                  progress.digests(),
                  progress.store(),
                  true,
                  progress.parts()));
    }
  }

  private boolean advance(UploadProgress progress) {
    Instant expiry = ports.expiry(bounds);
    boolean isThere = ports.rows().advance(upload.id(), progress, expiry);
    expiresAt.set(expiry);
    return isThere;
  }

  private static UploadCheckpoint checkpointOf(UnfinishedUpload row) {
    UploadProgress progress = row.progress();
    return new UploadCheckpoint(
        row.blobKey(), progress.position(), progress.store(), row.encrypted() && progress.isOpen());
  }

  private MultiDigester digester(UploadProgress progress) throws StorageException.BlobCorrupt {
    if (!progress.hasCheckpoint()) {
      return new MultiDigester(ports.digestExecutor(), ports.digests()::begin);
    }
    try {
      return MultiDigester.resume(ports.digestExecutor(), ports.digests(), progress.digests());
    } catch (IllegalArgumentException e) {
      throw new StorageException.BlobCorrupt(
          ports.stores().plain().name(),
          new BlobRef(upload.blobKey(), progress.position()),
          "the digests of its upload cannot go on",
          e);
    }
  }

  /** Commits bytes, or drops them. */
  @FunctionalInterface
  interface Finish<T> {
    T finish(BlobUpload blob, Digests digests) throws IngestException, StorageException;
  }

  /**
   * An upload that takes bytes.
   *
   * @param blob takes them
   * @param digester has taken as many
   */
  private record Writing(BlobUpload blob, MultiDigester digester) {}
}

package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.digest.MultiDigester;
import io.artifactserver.core.ingest.Admission;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An unfinished upload in this process. Thread-safe: everything happens under its lock, one buffer
 * at a time, so a newer request takes over between two of them.
 */
final class LiveUpload {
  private final UploadPorts ports;
  private final UploadBounds bounds;

  /** As it was found or begun. */
  private final UnfinishedUpload upload;

  private final Runnable onEnd;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong length;

  /** Bytes that are written. */
  private final AtomicLong position;

  /** Bytes that are durable. */
  private final AtomicLong kept;

  /** Whether bytes are kept together or not at all, until the next pause. */
  private final AtomicBoolean isMarked = new AtomicBoolean();

  private final AtomicReference<Instant> expiresAt;
  /** Whether an earlier attempt may have written behind the checkpoint of today's. */
  private final AtomicBoolean hasMore = new AtomicBoolean();

  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicReference<@Nullable Admission> admission;
  private final AtomicReference<@Nullable UploadSession> holder = new AtomicReference<>();
  private final AtomicReference<@Nullable Writing> writing = new AtomicReference<>();

  /**
   * @param onEnd called when the upload is complete, or ended
   */
  LiveUpload(
      UploadPorts ports,
      UploadBounds bounds,
      UnfinishedUpload upload,
      Optional<Admission> admission,
      Runnable onEnd) {
    this.ports = ports;
    this.bounds = bounds;
    this.upload = upload;
    this.onEnd = onEnd;
    this.length = new AtomicLong(upload.request().declaredLength());
    this.position = new AtomicLong(upload.progress().position());
    this.kept = new AtomicLong(upload.progress().position());
    this.expiresAt = new AtomicReference<>(upload.expiresAt());
    this.admission = new AtomicReference<>(admission.orElse(null));
  }

  boolean isOf(String owner) {
    return upload.owner().equals(owner);
  }

  /** Without the lock: for lists, which wait for no upload. */
  UploadStatus status() {
    return new UploadStatus(
        upload.id(),
        upload.owner(),
        request(),
        position.get(),
        holder.get() != null,
        expiresAt.get());
  }

  void reserveIfPossible() {
    lock.lock();
    try {
      admitted().growTo(position.get());
    } catch (IngestException _) {
      // Asked for again when the upload goes on, and the client is told then.
    } finally {
      lock.unlock();
    }
  }

  void take(UploadSession session) throws UploadException {
    @Nullable UploadSession older;
    lock.lock();
    try {
      if (isOver.get()) {
        throw new UploadException.NotFound(upload.id());
      }
      older = holder.getAndSet(session);
      if (older != null && isMarked.getAndSet(false)) {
        drop();
      }
    } finally {
      lock.unlock();
    }
    if (older != null) {
      older.superseded();
    }
  }

  void requirePosition(UploadSession session, long offered) throws UploadException {
    lock.lock();
    try {
      requireHeldBy(session);
      if (offered != position.get()) {
        throw new UploadException.WrongPosition(upload.id(), position.get(), offered);
      }
    } finally {
      lock.unlock();
    }
  }

  void declare(UploadSession session, long newLength) throws UploadException, IngestException {
    lock.lock();
    try {
      requireHeldBy(session);
      long known = length.get();
      if (known == newLength) {
        return;
      }
      if (known != IngestRequest.UNKNOWN_LENGTH || newLength < position.get()) {
        throw new UploadException.WrongLength(
            upload.id(), known == IngestRequest.UNKNOWN_LENGTH ? position.get() : known, newLength);
      }
      admitted().growTo(newLength);
      ports.rows().declare(upload.id(), newLength);
      length.set(newLength);
    } finally {
      lock.unlock();
    }
  }

  void append(UploadSession session, ByteBuffer bytes)
      throws UploadException, IngestException, StorageException {
    lock.lock();
    try {
      requireHeldBy(session);
      long end = position.get() + bytes.remaining();
      if (length.get() != IngestRequest.UNKNOWN_LENGTH && end > length.get()) {
        throw new UploadException.WrongLength(upload.id(), length.get(), end);
      }
      admitted().growTo(end);
      Writing open = open();
      try {
        CompletableFuture<Void> digested = open.digester().update(bytes.duplicate());
        try {
          open.blob().write(bytes);
        } finally {
          digested.join();
        }
      } catch (StorageException.BlobLost e) {
        // Bytes that had to come again as they were did not.
        throw lost(e);
      } catch (StorageException | RuntimeException e) {
        drop();
        throw e;
      }
      position.set(end);
      if (!isMarked.get() && bounds.isDue(end, kept.get())) {
        checkpoint(open, true);
      }
    } finally {
      lock.unlock();
    }
  }

  void mark(UploadSession session) throws UploadException, StorageException {
    lock.lock();
    try {
      requireHeldBy(session);
      pause();
      isMarked.set(true);
    } finally {
      lock.unlock();
    }
  }

  void rollBack(UploadSession session) throws UploadException {
    lock.lock();
    try {
      requireHeldBy(session);
      isMarked.set(false);
      drop();
    } finally {
      lock.unlock();
    }
  }

  long pause(UploadSession session) throws UploadException, StorageException {
    lock.lock();
    try {
      requireHeldBy(session);
      pause();
      return position.get();
    } finally {
      lock.unlock();
    }
  }

  void release(UploadSession session) {
    lock.lock();
    try {
      if (holder.compareAndSet(session, null)) {
        if (isMarked.getAndSet(false)) {
          drop();
        } else {
          pause();
        }
      }
    } catch (StorageException | UploadException | CatalogUnavailableException _) {
      // The client asks for the offset, and gets that of the last checkpoint.
    } finally {
      lock.unlock();
    }
  }

  IngestResult complete(UploadSession session)
      throws UploadException, IngestException, StorageException {
    lock.lock();
    try {
      requireHeldBy(session);
      if (position.get() != length.get()) {
        throw new UploadException.WrongLength(upload.id(), length.get(), position.get());
      }
      IngestResult result;
      try {
        result = completeBytes(admitted(), tryOpen());
      } catch (StorageException.BlobLost e) {
        result = new IngestResult.AlreadyPresent(artifactOfDeadProcess(e));
      }
      ports.rows().complete(upload.id(), ports.expiry(bounds));
      over();
      return result;
    } finally {
      lock.unlock();
    }
  }

  void end() {
    @Nullable UploadSession open;
    lock.lock();
    try {
      open = holder.getAndSet(null);
      forget();
    } finally {
      lock.unlock();
    }
    if (open != null) {
      open.superseded();
    }
  }

  boolean endIfIdle() {
    lock.lock();
    try {
      if (holder.get() != null) {
        return false;
      }
      forget();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private IngestResult completeBytes(Admission admitted, Writing open)
      throws UploadException, IngestException, StorageException {
    // The row has the digests of all bytes before the blob is committed: if this process dies then,
    // they tell the next one whether the artifact is there.
    checkpoint(open, false);
    try {
      IngestResult result =
          ports.ingest().complete(admitted, open.blob(), open.digester().digests());
      writing.set(null);
      open.blob().close();
      return result;
    } catch (IngestException e) {
      forget();
      throw e;
    } catch (StorageException | RuntimeException e) {
      drop();
      throw e;
    }
  }

  /**
   * The artifact, if a process died, or lost the database, between making it and saying so: the
   * bytes are committed then, or were dropped because another artifact has them.
   */
  private Artifact artifactOfDeadProcess(StorageException.BlobLost lost)
      throws UploadException, StorageException {
    UploadProgress progress = row().progress();
    if (progress.position() == length.get() && progress.hasCheckpoint()) {
      Digests digests = digester(progress).digests();
      Optional<Artifact> artifact =
          ports
              .catalog()
              .findCurrent(upload.request().id())
              .filter(present -> present.digests().sha256().equals(digests.sha256()));
      if (artifact.isPresent()) {
        return artifact.get();
      }
    }
    throw lost(lost);
  }

  /** Keeps everything, and gives back what is held. */
  private void pause() throws UploadException, StorageException {
    @Nullable Writing open = writing.get();
    if (open != null) {
      checkpoint(open, false);
      writing.set(null);
      open.blob().leave();
    }
    isMarked.set(false);
  }

  private void checkpoint(Writing open, boolean isOpen) throws UploadException, StorageException {
    boolean isThere;
    try {
      byte[] state = open.blob().checkpoint();
      isThere =
          advance(
              new UploadProgress(
                  position.get(),
                  open.digester().save(ports.digests()),
                  state,
                  isOpen || hasMore.get()));
    } catch (StorageException | RuntimeException e) {
      drop();
      throw e;
    }
    if (!isThere) {
      forget();
      throw new UploadException.NotFound(upload.id());
    }
    kept.set(position.get());
  }

  /** Goes on behind the last checkpoint, if nothing is open. Ends the upload if that is lost. */
  private Writing open() throws UploadException, StorageException {
    try {
      return tryOpen();
    } catch (StorageException.BlobLost e) {
      throw lost(e);
    }
  }

  private Writing tryOpen() throws UploadException, StorageException {
    @Nullable Writing open = writing.get();
    if (open == null) {
      UnfinishedUpload row = row();
      MultiDigester digester = digester(row.progress());
      open = new Writing(blob(row), digester);
      writing.set(open);
    }
    return open;
  }

  private UploadException lost(StorageException.BlobLost cause) {
    forget();
    return new UploadException.NotFound(upload.id(), cause);
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
              new UploadProgress(progress.position(), progress.digests(), progress.store(), true));
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

  private UnfinishedUpload row() throws UploadException.NotFound {
    return ports
        .rows()
        .find(upload.id())
        .orElseThrow(() -> new UploadException.NotFound(upload.id()));
  }

  private Admission admitted() throws IngestException {
    @Nullable Admission admitted = admission.get();
    if (admitted == null) {
      admitted = ports.ingest().readmit(request(), upload.encrypted());
      admission.set(admitted);
    }
    return admitted;
  }

  private IngestRequest request() {
    IngestRequest request = upload.request();
    return new IngestRequest(
        request.id(), request.mediaType(), length.get(), request.expectedDigests());
  }

  /** Goes back to the last checkpoint. */
  private void drop() {
    @Nullable Writing open = writing.getAndSet(null);
    if (open != null) {
      open.blob().leave();
    }
    position.set(kept.get());
  }

  /** Removes the row, then the bytes: what dies in between leaves an abandoned upload. */
  private void forget() {
    if (isOver.get()) {
      return;
    }
    Optional<UnfinishedUpload> row = ports.rows().find(upload.id());
    ports.rows().remove(upload.id());
    @Nullable Writing open = writing.getAndSet(null);
    if (open != null) {
      open.blob().close();
    } else if (row.isPresent() && row.get().progress().hasCheckpoint()) {
      discard(row.get());
    }
    over();
  }

  private void discard(UnfinishedUpload row) {
    try {
      ports.stores().of(row.encrypted()).discard(checkpointOf(row));
    } catch (StorageException _) {
      // Encrypted, and there is no key ring any more: the sweeper removes it.
    }
  }

  private void over() {
    isOver.set(true);
    @Nullable Admission admitted = admission.getAndSet(null);
    if (admitted != null) {
      admitted.close();
    }
    onEnd.run();
  }

  private void requireHeldBy(UploadSession session) throws UploadException.Superseded {
    if (isOver.get() || holder.get() != session) {
      throw new UploadException.Superseded(upload.id());
    }
  }

  /**
   * An upload that takes bytes.
   *
   * @param blob takes them
   * @param digester has taken as many
   */
  private record Writing(BlobUpload blob, MultiDigester digester) {}
}

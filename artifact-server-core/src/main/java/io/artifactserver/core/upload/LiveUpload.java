package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.ingest.Admission;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An unfinished upload in this process. Thread-safe: everything happens under its lock, one buffer
 * at a time, so a newer request takes over between two of them.
 */
final class LiveUpload {
  private final UploadPorts ports;

  /** As it was found or begun. */
  private final UnfinishedUpload upload;

  private final UploadBytes bytes;
  private final UploadRoom room;
  private final Runnable onEnd;
  private final ReentrantLock lock = new ReentrantLock();

  /** With the length and the digests that are known by now. */
  private final AtomicReference<IngestRequest> request;

  /** Whether bytes are kept together or not at all, until the next pause. */
  private final AtomicBoolean isMarked = new AtomicBoolean();

  /** Whether it is a part that has its blob. */
  private final AtomicBoolean isStored;

  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicReference<@Nullable UploadSession> holder = new AtomicReference<>();

  /**
   * @param onEnd called when the upload is complete, or ended
   */
  LiveUpload(
      UploadPorts ports,
      UploadBounds bounds,
      UnfinishedUpload upload,
      Optional<Admission> admission,
      OpenUploads opens,
      Runnable onEnd) {
    this.ports = ports;
    this.upload = upload;
    this.bytes = new UploadBytes(ports, bounds, upload, opens, this::rest);
    this.onEnd = onEnd;
    this.request = new AtomicReference<>(upload.request());
    this.isStored = new AtomicBoolean(upload.isComplete());
    this.room = new UploadRoom(ports, upload.encrypted(), admission);
  }

  /** Without the lock: for lists, which wait for no upload. */
  UploadStatus status() {
    return upload.status(request.get(), bytes.position(), holder.get() != null, bytes.expiresAt());
  }

  /** The blob of this part, if it is one and all of its bytes are there. Without the lock. */
  Optional<BlobRef> part() {
    return upload.isPart() && isStored.get()
        ? Optional.of(new BlobRef(upload.blobKey(), length(), upload.encrypted()))
        : Optional.empty();
  }

  /** For what they only tell. */
  UploadBytes bytes() {
    return bytes;
  }

  void reserveIfPossible() {
    try (Held _ = hold()) {
      room.of(request.get()).growTo(bytes.position());
    } catch (IngestException _) {
      // Asked for again when the upload goes on, and the client is told then.
    }
  }

  /** The bytes of this part are reserved by the upload that gets them. */
  void giveRoomBack() {
    try (Held _ = hold()) {
      room.close();
    }
  }

  void take(UploadSession session) throws UploadException {
    @Nullable UploadSession older;
    try (Held _ = hold()) {
      if (isOver.get()) {
        throw new UploadException.NotFound(upload.id());
      }
      older = holder.getAndSet(session);
      if (older != null && isMarked.getAndSet(false)) {
        bytes.drop();
      }
    }
    if (older != null) {
      older.superseded();
    }
    settle(session);
  }

  /** Finds the place of an upload whose process died before the request says where it goes on. */
  private void settle(UploadSession session) throws UploadException {
    try (Held _ = hold(session)) {
      endingIfLost(bytes::settle);
    } catch (StorageException | CatalogUnavailableException _) {
      // Whatever asks for the place, or needs it, is told the same.
    }
  }

  void requirePosition(UploadSession session, long offered) throws UploadException {
    try (Held _ = hold(session)) {
      if (offered != bytes.position()) {
        throw new UploadException.WrongPosition(upload.id(), bytes.position(), offered);
      }
    }
  }

  void declare(UploadSession session, long newLength) throws UploadException, IngestException {
    try (Held _ = hold(session)) {
      long known = length();
      if (known == newLength) {
        return;
      }
      if (known != IngestRequest.UNKNOWN_LENGTH || newLength < bytes.position()) {
        long least = Math.max(known, bytes.position());
        throw new UploadException.WrongLength(upload.id(), least, newLength);
      }
      room.of(request.get()).growTo(newLength);
      declare(request.get().ofLength(newLength));
    }
  }

  void expect(UploadSession session, List<Digest> digests) throws UploadException.Superseded {
    try (Held _ = hold(session)) {
      IngestRequest expecting = request.get().expecting(digests);
      if (!expecting.equals(request.get())) {
        declare(expecting);
      }
    }
  }

  private void declare(IngestRequest declared) {
    ports.rows().declare(upload.id(), declared);
    request.set(declared);
  }

  private long length() {
    return request.get().declaredLength();
  }

  void append(UploadSession session, ByteBuffer more)
      throws UploadException, IngestException, StorageException {
    try (Held _ = hold(session)) {
      long end = bytes.position() + more.remaining();
      if (length() != IngestRequest.UNKNOWN_LENGTH && end > length()) {
        throw new UploadException.WrongLength(upload.id(), length(), end);
      }
      room.of(request.get()).growTo(end);
      endingIfLost(() -> bytes.write(more));
      if (!isMarked.get() && bytes.isDue()) {
        endingIfLost(bytes::checkpointAside);
      }
    }
  }

  void mark(UploadSession session) throws UploadException, StorageException {
    try (Held _ = hold(session)) {
      endingIfLost(bytes::pause);
      isMarked.set(true);
    }
  }

  /** Keeps a part that was appended behind a {@link #mark}; the next one follows. */
  void endPart(UploadSession session) throws UploadException, StorageException {
    try (Held _ = hold(session)) {
      bytes.addPart();
      endingIfLost(bytes::checkpoint);
    }
  }

  void rollBack(UploadSession session) throws UploadException.Superseded {
    try (Held _ = hold(session)) {
      isMarked.set(false);
      bytes.drop();
    }
  }

  long pause(UploadSession session) throws UploadException, StorageException {
    try (Held _ = hold(session)) {
      isMarked.set(false);
      endingIfLost(bytes::pause);
      return bytes.position();
    }
  }

  void release(UploadSession session) {
    try (Held _ = hold()) {
      if (holder.compareAndSet(session, null)) {
        if (isMarked.getAndSet(false)) {
          bytes.drop();
        } else {
          endingIfLost(bytes::pause);
        }
      }
    } catch (StorageException | UploadException | CatalogUnavailableException _) {
      // The client asks for the offset, and gets that of the last checkpoint.
    }
  }

  /** Makes the bytes an artifact; of a part, a blob for another upload, without a result. */
  Optional<IngestResult> complete(UploadSession session)
      throws UploadException, IngestException, StorageException {
    try (Held _ = hold(session)) {
      if (bytes.position() != length()) {
        throw new UploadException.WrongLength(upload.id(), length(), bytes.position());
      }
      if (upload.isPart()) {
        store();
        return Optional.empty();
      }
      Admission admitted = room.of(request.get());
      IngestResult result;
      try {
        result =
            bytes.finish(
                (blob, digests) -> ports.ingest().complete(request.get(), admitted, blob, digests));
      } catch (StorageException.BlobLost e) {
        result =
            new DeadProcess(ports, upload)
                .complete(request.get(), admitted, bytes)
                .orElseThrow(() -> lost(e));
      } catch (IngestException | UploadException.NotFound e) {
        forget();
        throw e;
      }
      ports.rows().complete(upload.id(), bytes.expiresAt());
      over();
      return Optional.of(result);
    }
  }

  void end() {
    @Nullable UploadSession open;
    try (Held _ = hold()) {
      open = holder.getAndSet(null);
      forget();
    }
    if (open != null) {
      open.superseded();
    }
  }

  /**
   * Gives back what the store holds for it, unless it is at work. Bytes that are kept together or
   * not at all are dropped: their request ends, and comes again.
   */
  private void rest() {
    if (!lock.tryLock()) {
      return;
    }
    try (Held _ = lock::unlock) {
      if (isMarked.getAndSet(false)) {
        bytes.drop();
        Optional.ofNullable(holder.getAndSet(null)).ifPresent(UploadSession::superseded);
      } else {
        endingIfLost(bytes::rest);
      }
    } catch (StorageException | UploadException | CatalogUnavailableException _) {
      // Its own request is told the same.
    }
  }

  boolean endIfIdle() {
    try (Held _ = hold()) {
      if (holder.get() != null) {
        return false;
      }
      forget();
      return true;
    }
  }

  /** Commits the blob of a part. */
  private void store() throws UploadException, IngestException, StorageException {
    if (isStored.get()) {
      return;
    }
    try {
      BlobRef _ = bytes.finish((blob, _) -> blob.commit());
    } catch (StorageException.BlobLost e) {
      if (!new DeadProcess(ports, upload).hasStored(length())) {
        throw lost(e);
      }
    }
    ports.rows().complete(upload.id(), bytes.expiresAt());
    isStored.set(true);
  }

  /** Ends the upload if what it has is gone, or its row is. */
  private void endingIfLost(Step step) throws UploadException, StorageException {
    try {
      step.run();
    } catch (StorageException.BlobLost e) {
      throw lost(e);
    } catch (UploadException.NotFound e) {
      forget();
      throw e;
    }
  }

  private UploadException.NotFound lost(StorageException.BlobLost cause) {
    forget();
    return new UploadException.NotFound(upload.id(), cause);
  }

  /** Removes the row, then the bytes: what dies in between leaves an abandoned upload. */
  private void forget() {
    if (isOver.get()) {
      return;
    }
    @Nullable UnfinishedUpload row = ports.rows().find(upload.id()).orElse(null);
    ports.rows().remove(upload.id());
    bytes.forget(row);
    part()
        .ifPresent(blob -> {
          try {
            ports.stores().delete(blob);
          } catch (StorageException _) {
            // An orphan now, and the sweeper's.
          }
        });
    over();
  }

  private void over() {
    isOver.set(true);
    room.close();
    onEnd.run();
  }

  private Held hold() {
    lock.lock();
    return lock::unlock;
  }

  /** Takes the lock for a session, if it has the upload still. */
  private Held hold(UploadSession session) throws UploadException.Superseded {
    lock.lock();
    if (isOver.get() || holder.get() != session) {
      lock.unlock();
      throw new UploadException.Superseded(upload.id());
    }
    return lock::unlock;
  }

  /** The lock, until it is closed. */
  private interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /** Something with the bytes. */
  private interface Step {
    void run() throws UploadException, StorageException;
  }
}

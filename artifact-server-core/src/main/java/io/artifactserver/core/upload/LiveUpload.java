package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.ingest.Admission;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import io.artifactserver.core.upload.UploadLock.Held;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An unfinished upload in this process. Thread-safe: everything happens under its lock, one buffer
 * at a time, so a newer request takes over between two of them.
 */
final class LiveUpload {
  private final UploadPorts ports;

  /** As it was found or begun. */
  private final UnfinishedUpload upload;

  private final UploadLock lock;
  private final UploadBytes bytes;
  private final AdmittedRequest request;
  private final Runnable onEnd;

  /** Whether bytes are kept together or not at all, until the next pause. */
  private final AtomicBoolean isMarked = new AtomicBoolean();

  /** Whether it is a part that has its blob. */
  private final AtomicBoolean isStored;

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
    this.lock = new UploadLock(upload.id());
    this.bytes = new UploadBytes(ports, bounds, upload, opens, this::rest);
    this.request = new AdmittedRequest(ports, upload, admission);
    this.onEnd = onEnd;
    this.isStored = new AtomicBoolean(upload.isComplete());
  }

  /** Without the lock: for lists, which wait for no upload. */
  UploadStatus status() {
    return upload.status(request.request(), bytes.position(), lock.hasSession(), bytes.expiresAt());
  }

  boolean isPlainOf(String repository) {
    return !upload.encrypted() && upload.request().id().repository().equals(repository);
  }

  /** The blob of this part, if it is one and all of its bytes are there. Without the lock. */
  Optional<BlobRef> part() {
    return upload.isPart() && isStored.get()
        ? Optional.of(new BlobRef(upload.blobKey(), request.length(), upload.encrypted()))
        : Optional.empty();
  }

  UploadBytes bytes() {
    return bytes;
  }

  /**
   * Reserves the room that a process had which died.
   *
   * @param partsLeft bytes of the parts that are not in place yet: they have room of their own
   */
  void reserveIfPossible(long partsLeft) {
    try (Held _ = lock.hold()) {
      request.reserve(bytes.position(), partsLeft);
    } catch (IngestException _) {
      // Asked for again when the upload goes on, and the client is told then.
    }
  }

  /** Gives the room of this part to the upload that has its bytes. */
  private void giveRoomTo(AdmittedRequest whole, long end) throws IngestException {
    try (Held _ = lock.hold()) {
      whole.takeRoomOf(request, end);
    }
  }

  void take(UploadSession session) throws UploadException {
    if (!upload.parts().isEmpty()) {
      throw new UploadException.OfParts(upload.id());
    }
    Optional<UploadSession> older;
    try (Held _ = lock.hold()) {
      requireGoingOn();
      older = lock.giveTo(session);
      if (older.isPresent() && isMarked.getAndSet(false)) {
        bytes.drop();
      }
    }
    older.ifPresent(UploadSession::superseded);
    settle(session);
  }

  /** As {@link #take}, unless another session has the upload: then returns false. */
  boolean takeIfFree(UploadSession session) throws UploadException {
    try (Held _ = lock.hold()) {
      requireGoingOn();
      if (lock.hasSession()) {
        return false;
      }
      Optional<UploadSession> _ = lock.giveTo(session);
    }
    settle(session);
    return true;
  }

  private void requireGoingOn() throws UploadException {
    if (lock.isOver()) {
      throw ports.absent(upload.id());
    }
  }

  /** Finds the place of an upload whose process died before the request says where it goes on. */
  private void settle(UploadSession session) throws UploadException {
    try (Held _ = lock.hold(session)) {
      endingIfLost(bytes::settle);
    } catch (StorageException | CatalogUnavailableException _) {
      // Whatever asks for the place, or needs it, is told the same.
    }
  }

  void requirePosition(UploadSession session, long offered) throws UploadException {
    try (Held _ = lock.hold(session)) {
      if (offered != bytes.position()) {
        throw new UploadException.WrongPosition(upload.id(), bytes.position(), offered);
      }
    }
  }

  void declare(UploadSession session, long newLength) throws UploadException, IngestException {
    try (Held _ = lock.hold(session)) {
      request.declareLength(newLength, bytes.position());
    }
  }

  void expect(UploadSession session, List<Digest> digests) throws UploadException.Superseded {
    try (Held _ = lock.hold(session)) {
      request.expect(digests);
    }
  }

  void append(UploadSession session, ByteBuffer more)
      throws UploadException, IngestException, StorageException {
    try (Held _ = lock.hold(session)) {
      long end = bytes.position() + more.remaining();
      if (request.length() != IngestRequest.UNKNOWN_LENGTH && end > request.length()) {
        throw new UploadException.WrongLength(upload.id(), request.length(), end);
      }
      request.growTo(end);
      endingIfLost(() -> bytes.write(more));
      if (!isMarked.get() && bytes.isDue()) {
        endingIfLost(bytes::checkpointAside);
      }
    }
  }

  void mark(UploadSession session) throws UploadException, StorageException {
    try (Held _ = lock.hold(session)) {
      endingIfLost(bytes::pause);
      isMarked.set(true);
    }
  }

  /** Keeps a part that was appended; the next one follows. */
  void endPart(UploadSession session, LiveUpload part)
      throws UploadException, IngestException, StorageException {
    try (Held _ = lock.hold(session)) {
      part.giveRoomTo(request, bytes.position());
      bytes.addPart();
      endingIfLost(bytes::checkpoint);
    }
  }

  void rollBack(UploadSession session) throws UploadException.Superseded {
    try (Held _ = lock.hold(session)) {
      isMarked.set(false);
      bytes.drop();
    }
  }

  long pause(UploadSession session) throws UploadException, StorageException {
    try (Held _ = lock.hold(session)) {
      isMarked.set(false);
      endingIfLost(bytes::pause);
      return bytes.position();
    }
  }

  void release(UploadSession session) {
    try (Held _ = lock.hold()) {
      if (lock.takeFrom(session)) {
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
    try (Held _ = lock.hold(session)) {
      if (bytes.position() != request.length()) {
        throw new UploadException.WrongLength(upload.id(), request.length(), bytes.position());
      }
      if (upload.isPart()) {
        store();
        return Optional.empty();
      }
      Admission admitted = request.admission();
      IngestResult result;
      try {
        result =
            bytes.finish((blob, digests) ->
                ports.ingest().complete(request.request(), admitted, blob, digests));
      } catch (StorageException.BlobLost e) {
        result =
            new DeadProcess(ports, upload)
                .complete(request.request(), admitted, bytes)
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
    Optional<UploadSession> open;
    try (Held _ = lock.hold()) {
      open = lock.takeAway();
      forget();
    }
    open.ifPresent(UploadSession::superseded);
  }

  /**
   * Gives back what the store holds for it, unless it is at work. Bytes that are kept together or
   * not at all are dropped: their request ends, and comes again.
   */
  private void rest() {
    Optional<Held> held = lock.holdIfFree();
    if (held.isEmpty()) {
      return;
    }
    try (Held _ = held.get()) {
      if (isMarked.getAndSet(false)) {
        bytes.drop();
        lock.takeAway().ifPresent(UploadSession::superseded);
      } else {
        endingIfLost(bytes::rest);
      }
    } catch (StorageException | UploadException | CatalogUnavailableException _) {
      // Its own request is told the same.
    }
  }

  /** Ends it, unless a request has it, or has brought bytes since it was found to be expired. */
  boolean endIfExpired() {
    try (Held _ = lock.hold()) {
      if (lock.hasSession() || bytes.expiresAt().isAfter(ports.clock().instant())) {
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
      if (!new DeadProcess(ports, upload).hasStored(request.length())) {
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
    if (lock.isOver()) {
      return;
    }
    @Nullable UnfinishedUpload row = ports.rows().find(upload.id()).orElse(null);
    ports.rows().remove(upload.id());
    bytes.forget(row);
    part().ifPresent(ports::delete);
    over();
  }

  private void over() {
    lock.over();
    request.giveRoomBack();
    onEnd.run();
  }

  private interface Step {
    void run() throws UploadException, StorageException;
  }
}

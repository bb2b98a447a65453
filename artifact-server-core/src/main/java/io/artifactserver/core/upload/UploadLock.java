package io.artifactserver.core.upload;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one upload, and the session that has the upload. A session gets the lock only until a
 * newer session takes the upload, or the upload is over. Thread-safe.
 */
final class UploadLock {
  private final String uploadId;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicReference<@Nullable UploadSession> holder = new AtomicReference<>();
  private final AtomicBoolean isOver = new AtomicBoolean();

  UploadLock(String uploadId) {
    this.uploadId = uploadId;
  }

  /** Waits for the lock. */
  Held hold() {
    lock.lock();
    return lock::unlock;
  }

  /**
   * Waits for the lock.
   *
   * @throws UploadException.Superseded if the session does not have the upload any more
   */
  Held hold(UploadSession session) throws UploadException.Superseded {
    lock.lock();
    if (isOver.get() || holder.get() != session) {
      lock.unlock();
      throw new UploadException.Superseded(uploadId);
    }
    return lock::unlock;
  }

  /** Takes the lock, unless another thread has it; does not wait. */
  Optional<Held> holdIfFree() {
    return lock.tryLock() ? Optional.of(lock::unlock) : Optional.empty();
  }

  /** Whether a session has the upload. Needs no lock. */
  boolean hasSession() {
    return holder.get() != null;
  }

  /** Gives the upload to a session. Returns the session that had it. Needs the lock. */
  Optional<UploadSession> giveTo(UploadSession session) {
    return Optional.ofNullable(holder.getAndSet(session));
  }

  /** Takes the upload from the session that has it, and returns that session. Needs the lock. */
  Optional<UploadSession> takeAway() {
    return Optional.ofNullable(holder.getAndSet(null));
  }

  /** Takes the upload from a session. Returns whether the session had it. Needs the lock. */
  boolean takeFrom(UploadSession session) {
    return holder.compareAndSet(session, null);
  }

  /** Whether the upload is complete, or was ended. */
  boolean isOver() {
    return isOver.get();
  }

  /** From now on no session gets the lock. Needs the lock. */
  void over() {
    isOver.set(true);
  }

  /** The lock, until it is closed. */
  @FunctionalInterface
  interface Held extends AutoCloseable {
    @Override
    void close();
  }
}

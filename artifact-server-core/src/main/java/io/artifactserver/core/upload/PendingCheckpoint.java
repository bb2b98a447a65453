package io.artifactserver.core.upload;

import io.artifactserver.core.blob.StorageException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint of an upload that is being made durable while more bytes come. There is at most
 * one. Used under the lock of the upload; the work itself runs on a virtual thread.
 */
final class PendingCheckpoint {
  /** Completes with the failure of the work, if there is one. */
  private final AtomicReference<@Nullable CompletableFuture<Optional<Exception>>> pending =
      new AtomicReference<>();

  /** Starts to make a checkpoint durable. The one before must have been awaited. */
  void start(Work work) {
    pending.set(
        CompletableFuture.supplyAsync(
            () -> {
              try {
                work.run();
                return Optional.empty();
              } catch (StorageException | UploadException.NotFound | RuntimeException e) {
                return Optional.of(e);
              }
            },
            Thread::startVirtualThread));
  }

  /** Whether there is one whose work has ended. Does not block. */
  boolean isDone() {
    @Nullable CompletableFuture<?> last = pending.get();
    return last != null && last.isDone();
  }

  /** Waits for the work to end, and forgets it. Returns its failure, if there is one. */
  Optional<Exception> await() {
    @Nullable CompletableFuture<Optional<Exception>> last = pending.getAndSet(null);
    return last == null ? Optional.empty() : last.join();
  }

  /** Makes a checkpoint durable. */
  @FunctionalInterface
  interface Work {
    void run() throws UploadException.NotFound, StorageException;
  }
}

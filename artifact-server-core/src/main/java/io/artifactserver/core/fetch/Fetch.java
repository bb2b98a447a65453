package io.artifactserver.core.fetch;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.ingest.IngestRequest;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A fetch in this process: how far it is, and whether it may go on. Thread-safe. */
final class Fetch {
  /** How often it is asked whether the caller still may. */
  private static final long RECALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String id = BlobRef.newKey();
  private final Caller owner;
  private final URI url;
  private final IngestRequest request;
  private final BooleanSupplier mayGoOn;
  private final FetchBounds bounds;
  private final LongSupplier nanoTime;
  private final AtomicReference<FetchState> state = new AtomicReference<>(FetchState.WAITING);
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
  private final AtomicLong length = new AtomicLong(IngestRequest.UNKNOWN_LENGTH);
  private final AtomicLong received = new AtomicLong();
  private final AtomicLong begunAt = new AtomicLong();
  private final AtomicLong askedAt = new AtomicLong();
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger attemptsInARow = new AtomicInteger();
  private final AtomicReference<@Nullable RemoteFile> open = new AtomicReference<>();
  private final CountDownLatch stopped = new CountDownLatch(1);

  Fetch(
      Caller owner,
      URI url,
      IngestRequest request,
      BooleanSupplier mayGoOn,
      FetchBounds bounds,
      LongSupplier nanoTime) {
    this.owner = owner;
    this.url = url;
    this.request = request;
    this.mayGoOn = mayGoOn;
    this.bounds = bounds;
    this.nanoTime = nanoTime;
  }

  String id() {
    return id;
  }

  String ownerId() {
    return owner.id();
  }

  URI url() {
    return url;
  }

  /** With the length that is known by now. */
  IngestRequest request() {
    return request.ofLength(length.get());
  }

  FetchStatus status() {
    return new FetchStatus(
        id, owner, url, request(), state.get(), received.get(), Optional.ofNullable(failure.get()));
  }

  boolean isOver() {
    return state.get().compareTo(FetchState.RUNNING) > 0;
  }

  void begin() {
    begunAt.set(nanoTime.getAsLong());
    askedAt.set(begunAt.get() - RECALL_NANOS);
    state.set(FetchState.RUNNING);
  }

  void complete() {
    state.set(FetchState.COMPLETE);
  }

  void fail(Exception cause) {
    failure.set(cause);
    state.set(isStopped() ? FetchState.ENDED : FetchState.FAILED);
  }

  /** Ends it as soon as possible, from any thread. Does not wait. */
  void stop() {
    stopped.countDown();
    boolean _ = state.compareAndSet(FetchState.WAITING, FetchState.ENDED);
    @Nullable RemoteFile file = open.get();
    if (file != null) {
      file.close();
    }
  }

  /** The file that bytes come from now: {@link #stop()} closes it. */
  void opened(RemoteFile file) {
    open.set(file);
    if (isStopped()) {
      file.close();
    }
  }

  void hasLength(long bytes) {
    length.set(bytes);
  }

  /** Its bytes begin, or begin again. */
  void beginsAgain() {
    received.set(0);
  }

  void received(long position) {
    received.set(position);
    attemptsInARow.set(0);
  }

  /** The time that is left. */
  Duration patience() {
    return bounds.timeout().minusNanos(nanoTime.getAsLong() - begunAt.get());
  }

  /**
   * Checks that nobody ended it, that there is time left, and now and then the caller's token.
   *
   * @param isLast whether no bytes follow: the token is checked in any case
   */
  void requireGoingOn(boolean isLast) throws RemoteRefusedException {
    if (isStopped()) {
      throw new RemoteRefusedException("the fetch was ended");
    }
    if (!patience().isPositive()) {
      throw new RemoteRefusedException(
          "it took longer than %d s".formatted(bounds.timeout().toSeconds()));
    }
    long now = nanoTime.getAsLong();
    if (isLast || now - askedAt.get() >= RECALL_NANOS) {
      askedAt.set(now);
      if (!mayGoOn.getAsBoolean()) {
        throw new RemoteRefusedException("the token that began the fetch was taken away");
      }
    }
  }

  /**
   * Waits before the next attempt.
   *
   * @param cause of the last attempt's failure; thrown if there were enough of them
   */
  void pauseAfter(IOException cause) throws IOException {
    requireGoingOn(false);
    int inARow = attemptsInARow.incrementAndGet();
    if (inARow >= FetchBounds.MAX_IN_A_ROW
        || attempts.incrementAndGet() >= FetchBounds.MAX_ATTEMPTS) {
      throw new RemoteRefusedException(
          "%s, after %d attempts".formatted(cause.getMessage(), inARow), cause);
    }
    try {
      boolean _ = stopped.await(bounds.pauseAfter(inARow).toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RemoteRefusedException("the server stops", e);
    }
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }
}

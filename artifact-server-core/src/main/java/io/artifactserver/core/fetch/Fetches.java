package io.artifactserver.core.fetch;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.limit.FairQueue;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Use case: take in artifacts that this server fetches from others. Thread-safe.
 *
 * <p>A fetch is an upload whose bytes the server asks for itself, so all that {@link
 * ArtifactIngest} checks holds for it. It outlives broken connections to the other server, and not
 * this process: nothing is kept of one that did not complete. Callers take turns.
 */
public final class Fetches implements AutoCloseable {
  /** For those that run when the server stops. */
  private static final long STOP_SECONDS = 10;

  private final ArtifactIngest ingest;
  private final RemoteFiles files;
  private final FetchBounds bounds;
  private final LongSupplier nanoTime;
  private final Consumer<FetchStatus> onEnd;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("fetch-", 0).factory());

  /** Guards all below. */
  private final ReentrantLock lock = new ReentrantLock();

  /** By id, in the order in which they began. */
  private final Map<String, Fetch> fetches = new LinkedHashMap<>();

  private final FairQueue<String, Fetch> waiting = FairQueue.inOrder();
  private final Set<Fetch> running = new LinkedHashSet<>();

  /**
   * @param nanoTime the time, in nanoseconds since some moment
   * @param onEnd is told of each fetch that began, once, when it is over; may block
   */
  public Fetches(
      ArtifactIngest ingest,
      RemoteFiles files,
      FetchBounds bounds,
      LongSupplier nanoTime,
      Consumer<FetchStatus> onEnd) {
    this.ingest = ingest;
    this.files = files;
    this.bounds = bounds;
    this.nanoTime = nanoTime;
    this.onEnd = onEnd;
  }

  /**
   * Begins a fetch, which runs when it is its turn. Asks the database.
   *
   * @param request with a digest, and without a length
   * @param mayGoOn whether the caller still has its token
   * @throws IngestException if it is known already that the bytes cannot be taken in
   * @throws TooManyFetchesException if too many are unfinished
   */
  public FetchStatus begin(Caller owner, URI url, IngestRequest request, BooleanSupplier mayGoOn)
      throws IngestException, TooManyFetchesException {
    ingest.admit(request, false).close();
    Fetch fetch = new Fetch(owner, url, request, mayGoOn, bounds, nanoTime);
    lock.lock();
    try {
      requireRoom(owner.id());
      fetches.put(fetch.id(), fetch);
      waiting.add(owner.id(), fetch);
      startNext();
    } finally {
      lock.unlock();
    }
    return fetch.status();
  }

  /** The fetch of this id, if it is remembered. No I/O. */
  public Optional<FetchStatus> find(String id) {
    return list().stream().filter(each -> each.id().equals(id)).findFirst();
  }

  /** The fetches that are remembered, in the order in which they began. No I/O. */
  public List<FetchStatus> list() {
    lock.lock();
    try {
      return fetches.values().stream().map(Fetch::status).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Ends a fetch if it is unfinished, and forgets it. Does not wait. */
  public void end(String id) {
    @Nullable Fetch fetch;
    boolean isWaiting;
    lock.lock();
    try {
      fetch = fetches.remove(id);
      isWaiting = fetch != null && waiting.remove(fetch.ownerId(), fetch);
    } finally {
      lock.unlock();
    }
    if (fetch != null) {
      fetch.stop();
      if (isWaiting) {
        onEnd.accept(fetch.status());
      }
    }
  }

  /** Ends all of them, and waits for those that run. */
  @Override
  public void close() {
    list().forEach(each -> end(each.id()));
    threads.shutdown();
    try {
      boolean _ = threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void requireRoom(String owner) throws TooManyFetchesException {
    List<Fetch> unfinished = fetches.values().stream().filter(each -> !each.isOver()).toList();
    if (unfinished.size() >= FetchBounds.MAX_UNFINISHED) {
      throw new TooManyFetchesException(FetchBounds.MAX_UNFINISHED, false);
    }
    if (unfinished.stream().filter(isOf(owner)).count() >= FetchBounds.MAX_OF_OWNER) {
      throw new TooManyFetchesException(FetchBounds.MAX_OF_OWNER, true);
    }
  }

  /** Under the lock. */
  private void startNext() {
    Predicate<String> mayHaveTurn =
        owner ->
            running.stream().filter(isOf(owner)).count() < bounds.maxRunning() - running.size();
    for (Optional<Fetch> next = waiting.poll(mayHaveTurn);
        next.isPresent();
        next = waiting.poll(mayHaveTurn)) {
      Fetch fetch = next.get();
      running.add(fetch);
      fetch.begin();
      threads.execute(() -> run(fetch));
    }
  }

  private void run(Fetch fetch) {
    try {
      try {
        receive(fetch);
        fetch.complete();
      } catch (IngestException | StorageException | RuntimeException e) {
        fetch.fail(e);
      }
      onEnd.accept(fetch.status());
    } finally {
      lock.lock();
      try {
        running.remove(fetch);
        forgetOldest(isOf(fetch.ownerId()), FetchBounds.MAX_FINISHED_OF_OWNER);
        forgetOldest(_ -> true, FetchBounds.MAX_FINISHED);
        startNext();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Fetches all bytes, and again from the first if there is no other way. */
  private void receive(Fetch fetch) throws IngestException, StorageException {
    int beginnings = 0;
    while (true) {
      try (RemoteStream bytes = new RemoteStream(files, fetch)) {
        beginnings++;
        bytes.begin();
        var _ = ingest.ingest(fetch.request(), bytes);
        return;
      } catch (IngestException.SourceFailed e) {
        if (!(e.getCause() instanceof RemoteChangedException)
            || beginnings == FetchBounds.MAX_IN_A_ROW) {
          throw e;
        }
      } catch (StorageException e) {
        throw e;
      } catch (IOException e) {
        throw new IngestException.SourceFailed(fetch.request().id(), 0, e);
      }
    }
  }

  /** Under the lock. */
  private void forgetOldest(Predicate<Fetch> which, int max) {
    List<Fetch> finished = fetches.values().stream().filter(Fetch::isOver).filter(which).toList();
    finished.stream()
        .limit(Math.max(0, finished.size() - max))
        .forEach(each -> fetches.remove(each.id()));
  }

  private static Predicate<Fetch> isOf(String owner) {
    return fetch -> fetch.ownerId().equals(owner);
  }
}

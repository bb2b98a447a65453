package io.artifactserver.core.limit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Lets so many downloads of a repository run at a time; the others wait in the order in which they
 * came. No thread waits. Thread-safe.
 */
public final class DownloadQueue {
  /** Guarded by this object. */
  private final Set<Place> waiting = new LinkedHashSet<>();

  /** How many of them each client has; guarded by this object. */
  private final Map<Object, Integer> clients = new HashMap<>();

  /** How many wait; changed by who holds the lock, before it looks at those that run. */
  private final AtomicInteger waitingCount = new AtomicInteger();

  private final AtomicLong running = new AtomicLong();
  private final AtomicLong most;
  private final QueueBounds bounds;

  /**
   * @param most downloads at a time; {@link RepositoryLimits#NO_LIMIT} for no limit
   */
  DownloadQueue(long most, QueueBounds bounds) {
    this.most = new AtomicLong(most);
    this.bounds = bounds;
  }

  /** Changes the limit. What runs goes on. */
  void setMost(long downloads) {
    most.set(downloads);
    beginWaiting();
  }

  /**
   * Enters a download. Does not block.
   *
   * @param client whom the place counts for while it waits
   * @param begin runs once, in this method when it is the download's turn at once, or else later on
   *     the thread on which another ended; must not block
   * @return the download's place; empty if so many wait, of all or of this client, that it cannot
   */
  public Optional<Place> enter(Object client, Consumer<Place> begin) {
    Place place = new Place(client, begin);
    List<Place> begun;
    synchronized (this) {
      if (waiting.size() >= bounds.places()
          || clients.getOrDefault(client, 0) >= bounds.ofOneClient()) {
        return Optional.empty();
      }
      waiting.add(place);
      waitingCount.incrementAndGet();
      clients.merge(client, 1, Integer::sum);
      begun = begin();
    }
    begun.forEach(Place::run);
    return Optional.of(place);
  }

  /**
   * Begins a download that will not wait, and has no place.
   *
   * @return false if it is not its turn at once; otherwise it is to be {@link #end ended}
   */
  public boolean beginNow() {
    return waitingCount.get() == 0 && run();
  }

  /** A download that had begun at once has ended. */
  public void end() {
    running.decrementAndGet();
    // Who waits from now on sees that it has.
    if (waitingCount.get() > 0) {
      beginWaiting();
    }
  }

  private void beginWaiting() {
    List<Place> begun;
    synchronized (this) {
      begun = begin();
    }
    begun.forEach(Place::run);
  }

  /** One more runs, unless as many do as may. */
  private boolean run() {
    long limit = most.get();
    return running.getAndUpdate(before -> before < limit ? before + 1 : before) < limit;
  }

  /** Returns how many wait. */
  public int waiting() {
    return waitingCount.get();
  }

  /** Takes those out of the queue whose turn it is. To be called with the lock held. */
  private List<Place> begin() {
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<Place> begun = new ArrayList<>();
    Iterator<Place> next = waiting.iterator();
    while (next.hasNext() && run()) {
      Place place = next.next();
      next.remove();
      forget(place);
      place.state.set(State.RUNNING);
      begun.add(place);
    }
    return begun;
  }

  /** To be called with the lock held. */
  private void forget(Place place) {
    waitingCount.decrementAndGet();
    clients.computeIfPresent(place.client, (_, places) -> places == 1 ? null : places - 1);
  }

  private enum State {
    WAITING,
    RUNNING,
    LEFT
  }

  /** The place of one download. Thread-safe. */
  public final class Place {
    private final Object client;
    private final Consumer<Place> begin;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    private Place(Object client, Consumer<Place> begin) {
      this.client = client;
      this.begin = begin;
    }

    /** Whether it is not the download's turn yet. */
    public boolean isWaiting() {
      return state.get() == State.WAITING;
    }

    /**
     * The download has ended, or does not want to begin any more. May be repeated.
     *
     * @return whether it had not begun, and never will
     */
    public boolean leave() {
      List<Place> begun;
      State before;
      synchronized (DownloadQueue.this) {
        before = state.getAndSet(State.LEFT);
        if (before == State.WAITING) {
          waiting.remove(this);
          forget(this);
        } else if (before == State.RUNNING) {
          running.decrementAndGet();
        }
        begun = begin();
      }
      begun.forEach(Place::run);
      return before == State.WAITING;
    }

    private void run() {
      begin.accept(this);
    }
  }
}

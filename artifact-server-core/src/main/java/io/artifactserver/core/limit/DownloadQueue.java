package io.artifactserver.core.limit;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Lets so many downloads of a repository run at a time; the others wait in the order in which they
 * came. No thread waits. Thread-safe.
 */
public final class DownloadQueue {
  /** Most downloads of one repository that wait; some kilobytes of memory each. */
  public static final int MAX_WAITING = 10_000;

  /** Guarded by this object, as is all that follows. */
  private final Set<Place> waiting = new LinkedHashSet<>();

  private final AtomicLong running = new AtomicLong();
  private final AtomicLong most;

  /**
   * @param most downloads at a time; {@link RepositoryLimits#NO_LIMIT} for no limit
   */
  DownloadQueue(long most) {
    this.most = new AtomicLong(most);
  }

  /** Changes the limit. What runs goes on. */
  void setMost(long downloads) {
    List<Place> begun;
    synchronized (this) {
      most.set(downloads);
      begun = begin();
    }
    begun.forEach(Place::run);
  }

  /**
   * Enters a download. Does not block.
   *
   * @param begin runs once, in this method when it is the download's turn at once, or else later on
   *     the thread on which another ended; must not block
   * @return the download's place; empty if so many wait that it cannot
   */
  public Optional<Place> enter(Consumer<Place> begin) {
    Place place = new Place(begin);
    List<Place> begun;
    synchronized (this) {
      if (waiting.size() >= MAX_WAITING) {
        return Optional.empty();
      }
      waiting.add(place);
      begun = begin();
    }
    begun.forEach(Place::run);
    return Optional.of(place);
  }

  /** Returns how many wait. */
  public synchronized int waiting() {
    return waiting.size();
  }

  /** Takes those out of the queue whose turn it is. To be called with the lock held. */
  private List<Place> begin() {
    List<Place> begun = new ArrayList<>();
    Iterator<Place> next = waiting.iterator();
    while (running.get() < most.get() && next.hasNext()) {
      Place place = next.next();
      next.remove();
      place.state.set(State.RUNNING);
      running.incrementAndGet();
      begun.add(place);
    }
    return begun;
  }

  private enum State {
    WAITING,
    RUNNING,
    LEFT
  }

  /** The place of one download. Thread-safe. */
  public final class Place {
    private final Consumer<Place> begin;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    private Place(Consumer<Place> begin) {
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

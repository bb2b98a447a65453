package io.artifactserver.core.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Lets so many downloads of a repository run at a time; the others wait. Clients take turns,
 * however many downloads each of them has; those of one client run in the order in which they came.
 * No thread waits. Thread-safe.
 *
 * <p>While some wait, the downloads that run are looked at once a second. One whose client takes
 * less than its share gives its place up, and waits for its turn when its client wants more. So
 * does one of a client that has two places more than another who waits. Otherwise a few clients
 * that sip, or one with many downloads, would keep everybody else out.
 */
public final class DownloadQueue {
  /** Between two looks at those that run, while others wait. */
  static final Duration LOOK = Duration.ofSeconds(1);

  private final AtomicLong most;
  private final QueueBounds bounds;
  private final Timer timer;

  /** Guarded by this object, as are all below. */
  private final FairQueue<Object, Place> waiting = FairQueue.inOrder();

  /** Those that run and have a place, by their clients; in the order in which they began. */
  private final Map<Object, Set<Place>> runningOf = new HashMap<>();

  private final AtomicBoolean isLooking = new AtomicBoolean();

  /** How many wait; changed by who holds the lock, before it looks at those that run. */
  private final AtomicInteger waitingCount = new AtomicInteger();

  private final AtomicLong running = new AtomicLong();

  /**
   * @param most downloads at a time; {@link RepositoryLimits#NO_LIMIT} for no limit
   * @param timer for the looks
   */
  DownloadQueue(long most, QueueBounds bounds, Timer timer) {
    this.most = new AtomicLong(most);
    this.bounds = bounds;
    this.timer = timer;
  }

  /** A download that has a place. Must not block. */
  public interface Download {
    /**
     * It is its turn. Runs once, in {@link DownloadQueue#enter} when that is at once, or else later
     * on the thread on which another gave its place up.
     */
    void begin(Place place);

    /**
     * Whether its client has taken less than its share since the last time that this was asked, and
     * nobody else is to blame for it. Asked by one thread at a time.
     */
    boolean isSlow();
  }

  /** Changes the limit. Running downloads go on. */
  void setMost(long downloads) {
    most.set(downloads);
    beginWaiting();
  }

  /**
   * Enters a download. Does not block.
   *
   * @param client whom the place counts for
   * @return the download's place; empty if so many wait, of all or of this client, that it cannot
   */
  public Optional<Place> enter(Object client, Download download) {
    Place place = new Place(client, download);
    List<Runnable> begun;
    synchronized (this) {
      if (waiting.size() >= bounds.places() || waiting.size(client) >= bounds.ofOneClient()) {
        return Optional.empty();
      }
      begun = await(place, () -> download.begin(place));
    }
    begun.forEach(Runnable::run);
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
    // Downloads that wait from now on see that it has.
    if (waitingCount.get() > 0) {
      beginWaiting();
    }
  }

  private void beginWaiting() {
    List<Runnable> begun;
    synchronized (this) {
      begun = begin();
    }
    begun.forEach(Runnable::run);
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

  /** To be called with the lock held, as all below that say nothing else. */
  private List<Runnable> await(Place place, Runnable next) {
    place.state.set(State.WAITING);
    place.next.set(next);
    waiting.add(place.client, place);
    waitingCount.incrementAndGet();
    List<Runnable> begun = begin();
    lookLater();
    return begun;
  }

  /** Takes those out of the queue whose turn it is. */
  private List<Runnable> begin() {
    List<Runnable> begun = new ArrayList<>();
    while (!waiting.isEmpty() && run()) {
      Place place = waiting.poll().orElseThrow();
      waitingCount.decrementAndGet();
      place.state.set(State.RUNNING);
      runningOf.computeIfAbsent(place.client, _ -> new LinkedHashSet<>()).add(place);
      begun.add(place.next.get());
    }
    return begun;
  }

  private void lookLater() {
    if (!waiting.isEmpty() && isLooking.compareAndSet(false, true)) {
      timer.schedule(this::look, LOOK.toNanos());
    }
  }

  /** Without the lock. */
  private void look() {
    List<Place> all;
    synchronized (this) {
      all = runningOf.values().stream().flatMap(Set::stream).toList();
    }
    List<Place> slow = all.stream().filter(place -> place.download.isSlow()).toList();
    List<Runnable> begun;
    synchronized (this) {
      isLooking.set(false);
      if (waiting.isEmpty()) {
        return;
      }
      slow.forEach(this::giveUp);
      mostGreedy().ifPresent(this::giveUp);
      begun = begin();
      lookLater();
    }
    begun.forEach(Runnable::run);
  }

  /** The place that runs longest of the client that has most, if another who waits has too few. */
  private Optional<Place> mostGreedy() {
    int fewest = waiting.clients().stream().mapToInt(this::runningPlaces).min().orElse(0);
    return runningOf.values().stream()
        .max(Comparator.comparingInt(Set::size))
        .filter(places -> places.size() >= fewest + 2)
        .map(places -> places.iterator().next());
  }

  private int runningPlaces(Object client) {
    Set<Place> places = runningOf.get(client);
    return places == null ? 0 : places.size();
  }

  /** The download keeps what it has; what follows waits for its turn. */
  private void giveUp(Place place) {
    if (place.state.compareAndSet(State.RUNNING, State.SUSPENDED)) {
      stop(place);
    }
  }

  private void stop(Place place) {
    running.decrementAndGet();
    runningOf.computeIfPresent(
        place.client, (_, places) -> places.remove(place) && places.isEmpty() ? null : places);
  }

  private enum State {
    WAITING,
    RUNNING,
    SUSPENDED,
    LEFT
  }

  /** The place of one download. Thread-safe. */
  public final class Place {
    private final Object client;
    private final Download download;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private final AtomicBoolean hasBegun = new AtomicBoolean();

    /** Runs when it is the place's turn. */
    private final AtomicReference<Runnable> next = new AtomicReference<>(() -> {});

    private Place(Object client, Download download) {
      this.client = client;
      this.download = download;
    }

    /** Whether it is not the download's turn, or not again. */
    public boolean isWaiting() {
      return state.get() == State.WAITING;
    }

    /** Whether the download gave its place up, and is to {@link #resume}. */
    public boolean isSuspended() {
      return state.get() == State.SUSPENDED;
    }

    /**
     * Waits for the next turn of a download that gave its place up. Does not block.
     *
     * @param goOn runs once, when it is its turn; must not block
     */
    public void resume(Runnable goOn) {
      List<Runnable> begun;
      synchronized (DownloadQueue.this) {
        if (state.get() == State.SUSPENDED) {
          hasBegun.set(true);
          begun = await(this, goOn);
        } else {
          begun = List.of(goOn);
        }
      }
      begun.forEach(Runnable::run);
    }

    /**
     * The download has ended, or does not want to begin any more. May be repeated.
     *
     * @return whether it had not begun, and never will
     */
    public boolean leave() {
      List<Runnable> begun = new ArrayList<>();
      boolean neverBegins = false;
      synchronized (DownloadQueue.this) {
        State before = state.getAndSet(State.LEFT);
        if (before == State.WAITING) {
          waiting.remove(client, this);
          waitingCount.decrementAndGet();
          neverBegins = !hasBegun.get();
          if (!neverBegins) {
            // It finds out that its client has gone.
            begun.add(next.get());
          }
        } else if (before == State.RUNNING) {
          stop(this);
        }
        begun.addAll(begin());
      }
      begun.forEach(Runnable::run);
      return neverBegins;
    }
  }
}

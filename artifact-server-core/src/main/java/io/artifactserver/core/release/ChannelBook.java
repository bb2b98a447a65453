package io.artifactserver.core.release;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The channels, in memory for every download and in the database. A change counts at once.
 * Thread-safe; right as long as every change comes through the one server that an installation has.
 */
public final class ChannelBook {
  /** Most channels of a repository. */
  public static final int MAX_CHANNELS = 100;

  private final ChannelStore store;
  private final ReleasePast past;
  private final ArtifactCatalog catalog;
  private final ReleaseRule rule;
  private final InstantSource clock;
  private final Consumer<ChannelEvent> events;
  private final ConcurrentMap<Channel, ChannelState> current = new ConcurrentHashMap<>();

  /** Changes of channels hold the write lock, so that no deletion passes them unseen. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  /**
   * Reads all channels from the database.
   *
   * @param catalog knows which artifacts a release has
   * @param rule is asked whenever a channel is to point to another release
   * @param events is told of changes in the transaction that writes them, and changes no channel;
   *     what it throws undoes the change
   */
  public ChannelBook(
      ChannelStore store,
      ArtifactCatalog catalog,
      ReleaseRule rule,
      InstantSource clock,
      Consumer<ChannelEvent> events) {
    this.store = store;
    this.past = new ReleasePast(store, catalog);
    this.catalog = catalog;
    this.rule = rule;
    this.clock = clock;
    this.events = events;
    store.current().forEach(state -> current.put(state.channel(), state));
  }

  /** Returns the channel as it is now, if there is one. No I/O. */
  public Optional<ChannelState> find(Channel channel) {
    return Optional.ofNullable(current.get(channel));
  }

  /** Returns the channels of a repository, by name. No I/O. */
  public List<ChannelState> of(String repository) {
    return current.values().stream()
        .filter(state -> state.channel().repository().equals(repository))
        .sorted(Comparator.comparing(state -> state.channel().name()))
        .toList();
  }

  /** Returns states that a channel had, as {@link ChannelStore#history}. Asks the database. */
  public List<ChannelState> history(Channel channel, long before, int limit) {
    return store.history(channel, before, limit);
  }

  /**
   * Returns the folders that channels of a repository point or pointed to, so that a rollback finds
   * them. Asks the database.
   */
  public Set<String> releases(String repository) {
    return store.releases(repository);
  }

  /**
   * Points a channel to a release; makes the channel if there is none. Asks the database.
   *
   * @param rollout which devices get it; its base does not count, but is what all of them had
   *     before
   * @param precondition is told how the channel is, and throws if it is not to be changed
   */
  public ChannelState point(
      Channel channel,
      String release,
      Rollout rollout,
      String comment,
      Consumer<Optional<ChannelState>> precondition)
      throws ReleaseException {
    ArtifactId folder = new ArtifactId(channel.repository(), release);
    lock.writeLock().lock();
    try {
      long version = nextVersion(channel);
      Optional<ChannelState> before = find(channel);
      precondition.accept(before);
      requireRepository(channel);
      requireReleasable(folder);
      if (before.isEmpty()) {
        requireRoom(channel);
      }
      return change(
          new ChannelState(
              channel,
              version,
              release,
              rollout.over(past.base(before, release, rollout)),
              version,
              comment,
              now()));
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Points a channel to the release that it pointed to before its present one; where that is for
   * some devices only, to its base. Rolled back again, it goes one release further back. Asks the
   * database.
   *
   * @param precondition as {@link #point}
   */
  public ChannelState rollBack(
      Channel channel, String comment, Consumer<Optional<ChannelState>> precondition)
      throws ReleaseException {
    lock.writeLock().lock();
    try {
      long version = nextVersion(channel);
      ChannelState state = existing(channel, precondition);
      String release = String.valueOf(state.release());
      @Nullable String base = state.rollout().base();
      if (base != null) {
        return change(past.backTo(base, state, version, comment, now()));
      }
      ChannelState target =
          store
              .lastOther(channel, state.restored(), release)
              .orElseThrow(() -> new ReleaseException.NothingBefore(state));
      ArtifactId folder = new ArtifactId(channel.repository(), String.valueOf(target.release()));
      requireReleasable(folder);
      return change(
          new ChannelState(
              channel, version, target.release(), Rollout.ALL, target.restored(), comment, now()));
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Stops a rollout for further devices, or lets it go on. Asks the database.
   *
   * @param precondition as {@link #point}
   */
  public ChannelState pause(
      Channel channel, boolean pause, String comment, Consumer<Optional<ChannelState>> precondition)
      throws ReleaseException {
    lock.writeLock().lock();
    try {
      long version = nextVersion(channel);
      ChannelState state = existing(channel, precondition);
      String release = String.valueOf(state.release());
      Rollout rollout = state.rollout().paused(pause);
      return change(
          state.paused(
              rollout.over(past.base(Optional.of(state), release, rollout)),
              version,
              comment,
              now()));
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Takes a release back from devices that do not have it yet: the channel points to its base
   * again, or is paused if there is none. Asks the database.
   *
   * @param failing the state of which it was found out that too many devices fail
   * @return the channel as it is now; empty if it was changed meanwhile
   */
  public Optional<ChannelState> stop(ChannelState failing, String why) throws ReleaseException {
    lock.writeLock().lock();
    try {
      Channel channel = failing.channel();
      long version = nextVersion(channel);
      if (!find(channel).equals(Optional.of(failing))) {
        return Optional.empty();
      }
      Rollout rollout = failing.rollout();
      @Nullable String base = rollout.base();
      if (base == null) {
        return Optional.of(
            stopped(failing, failing.paused(rollout.paused(true), version, why, now())));
      }
      return Optional.of(stopped(failing, past.backTo(base, failing, version, why, now())));
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Deletes a channel; its history stays. Asks the database.
   *
   * @param precondition as {@link #point}
   * @return the channel as it was
   */
  public ChannelState delete(Channel channel, Consumer<Optional<ChannelState>> precondition)
      throws ReleaseException {
    lock.writeLock().lock();
    try {
      long version = nextVersion(channel);
      ChannelState state = existing(channel, precondition);
      change(new ChannelState(channel, version, null, Rollout.ALL, version, "", now()));
      return state;
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Runs the deletion of an artifact, unless a channel serves it. No channel changes meanwhile.
   *
   * @throws ReleaseException.Released if a channel serves it
   */
  public <T> T unlessReleased(ArtifactId id, Supplier<T> deletion)
      throws ReleaseException.Released {
    lock.readLock().lock();
    try {
      for (ChannelState state : current.values()) {
        Optional<String> release = state.releaseWith(id);
        if (release.isPresent()) {
          throw new ReleaseException.Released(id, state, release.get());
        }
      }
      return deletion.get();
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Runs a change of what a release has, but for deletions, unless a channel serves the release and
   * it was looked at for that. No channel changes meanwhile.
   *
   * @throws ReleaseException.Sealed if a channel serves it
   */
  public <T> T unlessSealed(ArtifactId id, Supplier<T> change) throws ReleaseException.Sealed {
    lock.readLock().lock();
    try {
      if (rule.isAsked(id.repository())) {
        for (ChannelState state : current.values()) {
          Optional<String> release = state.releaseWith(id);
          if (release.isPresent()) {
            throw new ReleaseException.Sealed(id, state, release.get());
          }
        }
      }
      return change.get();
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Every way on which a channel gets a release comes by here. */
  private void requireReleasable(ArtifactId release) throws ReleaseException {
    if (!past.hasArtifacts(release)) {
      throw new ReleaseException.EmptyRelease(release);
    }
    rule.requireReleasable(release);
  }

  private ChannelState existing(Channel channel, Consumer<Optional<ChannelState>> precondition)
      throws ReleaseException.NoChannel {
    Optional<ChannelState> before = find(channel);
    precondition.accept(before);
    return before.orElseThrow(() -> new ReleaseException.NoChannel(channel));
  }

  private void requireRepository(Channel channel) throws ReleaseException.NoRepository {
    if (catalog.repository(channel.repository()).isEmpty()) {
      throw new ReleaseException.NoRepository(channel.repository());
    }
  }

  private void requireRoom(Channel channel) throws ReleaseException {
    if (of(channel.repository()).size() >= MAX_CHANNELS) {
      throw new ReleaseException.TooMany(channel.repository());
    }
    // Artifacts that were uploaded before there were channels stay where they are.
    if (past.hasArtifacts(channel.address())) {
      throw new ReleaseException.AddressTaken(channel);
    }
  }

  /**
   * Reads the last state, which may be newer than the one in memory: the outcome of a change is
   * unknown when the database goes away. A channel that was deleted counts on, so that a version
   * never stands for two states.
   */
  private long nextVersion(Channel channel) {
    Optional<ChannelState> last = store.history(channel, Long.MAX_VALUE, 1).stream().findFirst();
    last.ifPresent(this::remember);
    return last.map(ChannelState::version).orElse(0L) + 1;
  }

  private ChannelState change(ChannelState state) throws ReleaseException.NoRepository {
    return add(state, ChannelEvent.of(current.get(state.channel()), state));
  }

  private ChannelState stopped(ChannelState failing, ChannelState state)
      throws ReleaseException.NoRepository {
    return add(state, Optional.of(new ChannelEvent(ChannelEvent.Kind.STOPPED, failing, state)));
  }

  private ChannelState add(ChannelState state, Optional<ChannelEvent> event)
      throws ReleaseException.NoRepository {
    if (!store.add(state, () -> event.ifPresent(events))) {
      throw new ReleaseException.NoRepository(state.channel().repository());
    }
    remember(state);
    return state;
  }

  private void remember(ChannelState state) {
    if (state.release() == null) {
      current.remove(state.channel());
    } else {
      current.put(state.channel(), state);
    }
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }
}

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

/**
 * The channels, in memory for every download and in the database. A change counts at once.
 * Thread-safe; right as long as every change comes through the one server that an installation has.
 */
public final class ChannelBook {
  /** Most channels of a repository. */
  public static final int MAX_CHANNELS = 100;

  private final ChannelStore store;
  private final ArtifactCatalog catalog;
  private final InstantSource clock;
  private final ConcurrentMap<Channel, ChannelState> current = new ConcurrentHashMap<>();

  /** Changes of channels hold the write lock, so that no deletion passes them unseen. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  /**
   * Reads all channels from the database.
   *
   * @param catalog knows which artifacts a release has
   */
  public ChannelBook(ChannelStore store, ArtifactCatalog catalog, InstantSource clock) {
    this.store = store;
    this.catalog = catalog;
    this.clock = clock;
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
   * @param precondition is told how the channel is, and throws if it is not to be changed
   */
  public ChannelState point(
      Channel channel,
      String release,
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
      if (!hasArtifacts(folder)) {
        throw new ReleaseException.EmptyRelease(folder);
      }
      if (before.isEmpty()) {
        requireRoom(channel);
      }
      return change(new ChannelState(channel, version, release, version, comment, now()));
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Points a channel to the release that it pointed to before its present one. Rolled back again,
   * it goes one release further back. Asks the database.
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
      ChannelState target =
          store
              .lastOther(channel, state.restored(), release)
              .orElseThrow(() -> new ReleaseException.NothingBefore(state));
      ArtifactId folder = new ArtifactId(channel.repository(), String.valueOf(target.release()));
      if (!hasArtifacts(folder)) {
        throw new ReleaseException.EmptyRelease(folder);
      }
      return change(
          new ChannelState(channel, version, target.release(), target.restored(), comment, now()));
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
      change(new ChannelState(channel, version, null, version, "", now()));
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
      Optional<ChannelState> serving =
          current.values().stream().filter(state -> state.serves(id)).findAny();
      if (serving.isPresent()) {
        throw new ReleaseException.Released(id, serving.get());
      }
      return deletion.get();
    } finally {
      lock.readLock().unlock();
    }
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
    if (hasArtifacts(channel.address())) {
      throw new ReleaseException.AddressTaken(channel);
    }
  }

  private boolean hasArtifacts(ArtifactId folder) {
    return !catalog.list(folder.repository(), folder.path() + '/', "", 1).isEmpty();
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
    if (!store.add(state)) {
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

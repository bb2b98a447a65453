package io.artifactserver.core.release;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps every state that channels had. Thread-safe. Every method asks the database and may block;
 * {@link io.artifactserver.core.catalog.CatalogUnavailableException} says that it could not.
 */
public interface ChannelStore {
  /** Returns the last state of every channel that is not deleted. */
  List<ChannelState> current();

  /**
   * Adds the state that follows the channel's last one.
   *
   * @param also runs in the same transaction: what it writes to the database is kept if the state
   *     is, and if it throws, nothing is
   * @return false if there is no such repository
   */
  boolean add(ChannelState state, Runnable also);

  /**
   * Returns states of a channel, the newest first. Also those from before it was deleted.
   *
   * @param before every version is less than this one
   * @param limit most states
   */
  List<ChannelState> history(Channel channel, long before, int limit);

  /**
   * Returns states of all channels of a repository that pointed to one of the releases, the newest
   * first.
   *
   * @param limit most states
   */
  List<ChannelState> pointing(String repository, Set<String> releases, int limit);

  /** Returns every release that channels of a repository point or pointed to. */
  Set<String> releases(String repository);

  /**
   * Returns the newest state before a version that pointed to another release, if there is one.
   *
   * @param release that it did not point to
   */
  Optional<ChannelState> lastOther(Channel channel, long before, String release);
}

package io.artifactserver.rest.server.guard;

import io.artifactserver.core.limit.Network;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the connections that end when all are taken and a client needs one: those that have asked
 * for nothing for a second, and those whose clients have long taken nothing of their answers.
 * Otherwise a client that opens as many as there may be, and says nothing, would keep everybody
 * out. Immutable.
 */
final class Room {
  /** At once, as this part of all: to look at all of them has its price. */
  private static final int SHARE = 64;

  /** A request follows its connection, by a round trip of a slow network at most. */
  private static final long IDLE_MILLIS = 1000;

  private final int count;

  /**
   * @param max connections at a time
   */
  Room(int max) {
    this.count = Math.max(1, max / SHARE);
  }

  /**
   * Returns those that go: of the client that has most, and of its those that have been idle for
   * longest. None if all are busy.
   *
   * @param connectionsOf how many a client has; clients of which nothing is known come last
   */
  List<Watched> of(Collection<Watched> open, ToIntFunction<@Nullable Network> connectionsOf) {
    return open.stream()
        .filter(Watched::givesWay)
        .map(watched ->
            new Idle(
                watched,
                connectionsOf.applyAsInt(watched.client()),
                watched.endPoint().getIdleFor()))
        .filter(idle -> idle.millis >= IDLE_MILLIS)
        .sorted(Comparator.comparingInt(Idle::ofClient).thenComparingLong(Idle::millis).reversed())
        .limit(count)
        .map(Idle::watched)
        .toList();
  }

  private record Idle(Watched watched, int ofClient, long millis) {}
}

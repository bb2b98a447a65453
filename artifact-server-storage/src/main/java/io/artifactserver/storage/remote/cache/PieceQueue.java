package io.artifactserver.storage.remote.cache;

import java.util.BitSet;

/**
 * Which pieces of one blob are asked for, and which of them somebody fetches. Guarded by the lock
 * of its {@link CacheEntry}.
 */
final class PieceQueue {
  private final BitSet claimed = new BitSet();
  private final BitSet urgent = new BitSet();
  private final BitSet wanted = new BitSet();
  private int cursor;

  /** Asks for the pieces from one to another that are neither present nor fetched now. */
  void want(int from, int to, BitSet present) {
    if (from < to) {
      wanted.set(from, to);
      wanted.andNot(present);
      wanted.andNot(claimed);
    }
  }

  /** Asks for a piece that somebody waits for. */
  void urge(int piece) {
    urgent.set(piece);
  }

  boolean hasUrgent() {
    return !urgent.isEmpty();
  }

  boolean hasWanted() {
    return !wanted.isEmpty();
  }

  boolean isClaimed(int piece) {
    return claimed.get(piece);
  }

  /** Adds the claimed pieces to {@code held}. */
  void addClaimedTo(BitSet held) {
    held.or(claimed);
  }

  /** Whether nothing is claimed. */
  boolean isIdle() {
    return claimed.isEmpty();
  }

  /** The fetch of a claimed piece has ended. */
  void release(int piece) {
    claimed.clear(piece);
  }

  /** Asks for nothing any more; what is claimed stays claimed. */
  void clear() {
    urgent.clear();
    wanted.clear();
  }

  /**
   * Claims a piece, from the cursor on: what is asked for here follows what was asked for last.
   *
   * @param isAhead whether of those that nobody waits for yet, or of the others
   * @return -1 if there is none
   */
  int claim(boolean isAhead) {
    BitSet asked = isAhead ? wanted : urgent;
    int piece = asked.nextSetBit(cursor);
    if (piece < 0) {
      piece = asked.nextSetBit(0);
    }
    if (piece >= 0) {
      claimed.set(piece);
      urgent.clear(piece);
      wanted.clear(piece);
      cursor = piece + 1;
    }
    return piece;
  }
}

package io.artifactserver.rest.command.client;

import io.artifactserver.core.range.ByteRange;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The bytes that are missing, cut into requests in the order of the file. They are cut as they are
 * asked for: a server may say any length, and that must take no memory. Thread-safe.
 */
final class Pieces {
  /** Long enough for a round trip between two requests to cost little. */
  private static final long MAX_LENGTH = 32L << 20;

  private static final long MIN_LENGTH = 1L << 20;

  /** For each connection, so that a slow one does not end much later than the others. */
  private static final int OF_CONNECTION = 4;

  private final Deque<ByteRange> missing;
  private final long longest;
  private final long count;

  Pieces(List<ByteRange> missing, int parallel) {
    long bytes = missing.stream().mapToLong(ByteRange::length).sum();
    this.missing = new ArrayDeque<>(missing);
    this.longest = Math.clamp(bytes / ((long) parallel * OF_CONNECTION), MIN_LENGTH, MAX_LENGTH);
    this.count = missing.stream().mapToLong(range -> (range.length() - 1) / longest + 1).sum();
  }

  /** How many there are in all. */
  long count() {
    return count;
  }

  /** Returns each once. */
  synchronized Optional<ByteRange> next() {
    ByteRange range = missing.pollFirst();
    if (range == null) {
      return Optional.empty();
    }
    long length = Math.min(longest, range.length());
    if (length < range.length()) {
      missing.addFirst(new ByteRange(range.position() + length, range.length() - length));
    }
    return Optional.of(new ByteRange(range.position(), length));
  }
}

package io.artifactserver.rest.command.client;

import io.artifactserver.core.range.ByteRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The bytes of a file that are there, as runs that do not touch. Thread-safe: several connections
 * add, and a digest follows.
 */
final class FetchedBytes {
  /** Begin and end of each run. */
  private final TreeMap<Long, Long> runs = new TreeMap<>();

  private long count;

  /** The range that a digest waits for. */
  private ByteRange awaited = new ByteRange(0, 0);

  /** Adds bytes, those that are there already too. */
  synchronized void add(ByteRange range) {
    if (range.isEmpty()) {
      return;
    }
    long begin = range.position();
    long end = range.end();
    Map.Entry<Long, Long> near = runs.floorEntry(end);
    while (near != null && near.getValue() >= begin) {
      begin = Math.min(begin, near.getKey());
      end = Math.max(end, near.getValue());
      count -= near.getValue() - near.getKey();
      runs.remove(near.getKey());
      near = runs.floorEntry(end);
    }
    runs.put(begin, end);
    count += end - begin;
    if (begin <= awaited.position() && end >= awaited.end()) {
      notifyAll();
    }
  }

  /** How many bytes are there. */
  synchronized long count() {
    return count;
  }

  /** The parts of a range that are not there, in order. */
  synchronized List<ByteRange> missing(ByteRange range) {
    List<ByteRange> missing = new ArrayList<>();
    long at = range.position();
    while (at < range.end()) {
      Map.Entry<Long, Long> run = runs.floorEntry(at);
      if (run != null && run.getValue() > at) {
        at = run.getValue();
      } else {
        Long next = runs.ceilingKey(at);
        long end = next == null ? range.end() : Math.min(next, range.end());
        missing.add(new ByteRange(at, end - at));
        at = end;
      }
    }
    return missing;
  }

  /** Waits until all bytes of a range are there. For one thread at a time. */
  synchronized void await(ByteRange range) throws InterruptedException {
    awaited = range;
    while (!missing(range).isEmpty()) {
      wait();
    }
  }

  /** Those of the bytes that are before an end. */
  synchronized FetchedBytes upTo(long end) {
    FetchedBytes fetched = new FetchedBytes();
    runs.headMap(end)
        .forEach((begin, last) -> fetched.add(new ByteRange(begin, Math.min(last, end) - begin)));
    return fetched;
  }

  /** {@code 0-1000,5000-6000}, half-open. */
  synchronized String encoded() {
    return runs.entrySet().stream()
        .map(run -> run.getKey() + "-" + run.getValue())
        .collect(Collectors.joining(","));
  }

  /**
   * Reads what {@link #encoded} returned.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  static FetchedBytes decode(String encoded) {
    FetchedBytes fetched = new FetchedBytes();
    for (String run : encoded.isEmpty() ? new String[0] : encoded.split(",", -1)) {
      int dash = run.indexOf('-');
      if (dash < 0) {
        throw new IllegalArgumentException("\"%s\" is no run of bytes".formatted(run));
      }
      long begin = Long.parseLong(run.substring(0, dash));
      long end = Long.parseLong(run.substring(dash + 1));
      if (begin < 0 || end <= begin) {
        throw new IllegalArgumentException("\"%s\" is no run of bytes".formatted(run));
      }
      fetched.add(new ByteRange(begin, end - begin));
    }
    return fetched;
  }
}

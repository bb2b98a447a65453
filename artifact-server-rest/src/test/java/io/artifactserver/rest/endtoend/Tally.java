package io.artifactserver.rest.endtoend;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what clients did and got, by their kind, and keeps what was wrong. Thread-safe. */
final class Tally {
  private static final int MAX_KEPT = 40;

  /**
   * Streams that a server may reset for no reason that is known. It was seen once, in 15,000
   * answers beside streams that clients reset: CANCEL, and nothing in the log. It was not seen
   * again since a refused connection is read by one thread. Every night it may be none.
   */
  private static final int MAX_CANCELLED = Integer.getInteger("mix.cancelled", 1);

  private final Map<String, Row> rows = new ConcurrentSkipListMap<>();
  private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
  private final List<Double> millis = new ArrayList<>();

  /** The things that are counted. */
  enum Count {
    CONNECTIONS,
    /** Came whole, and every byte was right. */
    ANSWERS,
    /** Ended by the client, or where it had to reckon with it; what came was right. */
    PARTS,
    /** Refusals: no artifact's bytes in them. */
    ERRORS,
    /** Streams that the client reset. */
    RESETS,
    /** Connections that the server ended, as it may. */
    ENDED,
    BYTES,
    /** Streams that the server reset, and need not have. */
    CANCELLED,
    /** Wrong bytes or frames. */
    WRONG,
    /** Connections that were cut, or an answer that did not come. */
    BROKEN
  }

  Row row(String kind) {
    return rows.computeIfAbsent(kind, name -> new Row());
  }

  /** The time of an answer that a client asks for again and again. */
  void took(long nanos) {
    synchronized (millis) {
      millis.add(nanos / 1e6);
    }
  }

  /** The 99th percentile of the answers since the last call, in milliseconds; 0 for none. */
  double p99() {
    synchronized (millis) {
      Collections.sort(millis);
      double p99 = millis.isEmpty() ? 0 : millis.get((int) (millis.size() * 0.99));
      millis.clear();
      return p99;
    }
  }

  long sum(Count count) {
    return rows.values().stream().mapToLong(row -> row.get(count)).sum();
  }

  void fail(String kind, Count count, Throwable cause) {
    row(kind).add(count, 1);
    if (failures.size() < MAX_KEPT) {
      StackTraceElement[] trace = cause.getStackTrace();
      failures.add(
          "%s: %s%s"
              .formatted(
                  kind,
                  cause,
                  cause instanceof AssertionError
                      ? ""
                      : " " + Arrays.asList(trace).subList(0, Math.min(12, trace.length))));
    }
  }

  /** Nothing was wrong. */
  void requireSound(String what) {
    long cancelled = sum(Count.CANCELLED);
    if (!failures.isEmpty() || cancelled > MAX_CANCELLED) {
      throw new AssertionError(
          "%s: %d wrong, %d broken and %d cancelled%n%s"
              .formatted(what, sum(Count.WRONG), sum(Count.BROKEN), cancelled, this));
    }
  }

  @Override
  public String toString() {
    StringBuilder table = new StringBuilder("%-28s".formatted(""));
    for (Count count : Count.values()) {
      table.append("%12s".formatted(count));
    }
    rows.forEach((kind, row) -> {
      table.append("%n%-28s".formatted(kind));
      for (Count count : Count.values()) {
        table.append("%,12d".formatted(row.get(count)));
      }
    });
    synchronized (failures) {
      failures.forEach(failure -> table.append("%n".formatted()).append(failure));
    }
    return table.toString();
  }

  /** Of one kind of client. */
  static final class Row {
    private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);

    private Row() {
      for (Count count : Count.values()) {
        counts.put(count, new LongAdder());
      }
    }

    void add(Count count, long more) {
      adder(count).add(more);
    }

    long get(Count count) {
      return adder(count).sum();
    }

    private LongAdder adder(Count count) {
      return Objects.requireNonNull(counts.get(count));
    }
  }
}

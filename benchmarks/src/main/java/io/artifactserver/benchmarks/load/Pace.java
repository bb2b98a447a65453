package io.artifactserver.benchmarks.load;

/**
 * How fast a client takes bytes from its socket: so many a second and no more, in a portion each
 * interval. What did not come in time is not made up for: a slow link cannot do that either. Used
 * by one thread.
 */
final class Pace {
  private static final long NANOS = 1_000_000_000L;

  private final long bytesPerSecond;
  private final long intervalNanos;
  private double allowance;
  private long since;

  Pace(long bytesPerSecond, long intervalNanos) {
    this.bytesPerSecond = bytesPerSecond;
    this.intervalNanos = intervalNanos;
  }

  /** Begins with nothing to take. */
  void start(long now) {
    since = now;
    allowance = 0;
  }

  /** Bytes that may be taken now; none if it is not positive. */
  long portion(long now) {
    double portion = (double) bytesPerSecond * (now - since) / NANOS;
    since = now;
    // What was not taken in time is lost, or else a late server could be made up for.
    allowance = Math.min(allowance, 0) + portion;
    return (long) Math.ceil(allowance);
  }

  void taken(int bytes) {
    allowance -= bytes;
  }

  /** When the next portion is due. */
  long next(long now) {
    return now + intervalNanos;
  }
}

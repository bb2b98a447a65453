package io.artifactserver.rest.command.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * How fast a transfer has been in the last seconds. Bytes that were there before the first sample
 * do not count: a transfer that goes on is no faster for them. Used by one thread.
 */
final class Pace {
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final Deque<Sample> samples = new ArrayDeque<>();

  /** Takes a reading. A position behind the last one, as after a lost connection, begins again. */
  void sample(long nanos, long position) {
    if (!samples.isEmpty() && samples.getLast().position() > position) {
      samples.clear();
    }
    samples.addLast(new Sample(nanos, position));
    while (samples.size() > 2 && nanos - samples.getFirst().nanos() > WINDOW_NANOS) {
      samples.removeFirst();
    }
  }

  /** Returns 0 while nothing is known. */
  double bytesPerSecond() {
    if (samples.size() < 2) {
      return 0;
    }
    Sample first = samples.getFirst();
    Sample last = samples.getLast();
    double seconds = (last.nanos() - first.nanos()) / (double) TimeUnit.SECONDS.toNanos(1);
    return seconds <= 0 ? 0 : (last.position() - first.position()) / seconds;
  }

  /** Whole seconds until so many bytes are there, rounded up; empty if nothing moves. */
  OptionalLong secondsLeft(long total) {
    double rate = bytesPerSecond();
    return rate <= 0 || samples.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of((long) Math.ceil((total - samples.getLast().position()) / rate));
  }

  private record Sample(long nanos, long position) {}
}

package io.artifactserver.benchmarks;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.range.ByteRange;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Taking down that a device was sent a range, which every request with a token does: of a device
 * that streams, and of a fleet that shows one token and so has bytes here and there.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class ProgressBenchmark {
  private static final long LENGTH = 800_000_000;
  private static final int RANGE = 4096;
  private static final int MANY = 10_000;

  private final ProgressSubject subject =
      new ProgressSubject("boards", new Digest(DigestAlgorithm.SHA_256, "0".repeat(64)), LENGTH);
  private final ProgressBook book =
      new ProgressBook(
          store(),
          InstantSource.system(),
          new ProgressBook.Bounds(100_000, 100_000, Long.MAX_VALUE, Integer.MAX_VALUE),
          _ -> {});
  private final ProgressBook.Entry fleet = entry("fleet");
  private final ProgressBook.Entry streaming = entry("streaming");
  private final SplittableRandom random = new SplittableRandom(1);
  private long next;

  /** The fleet has as many runs as are kept. */
  @Setup(Level.Trial)
  public void scatter() {
    for (int i = 0; i < MANY; i++) {
      scattered();
    }
  }

  /** A range somewhere. */
  @Benchmark
  public void scattered() {
    deliver(fleet, new ByteRange(random.nextLong(LENGTH - RANGE), RANGE));
  }

  /** The next range. */
  @Benchmark
  public void inOrder() {
    next = next + 2 * RANGE > LENGTH ? 0 : next + RANGE;
    deliver(streaming, new ByteRange(next, RANGE));
  }

  /** Takes a range down. */
  protected void deliver(ProgressBook.Entry entry, ByteRange range) {
    entry.delivered(range, Duration.ZERO);
  }

  private ProgressBook.Entry entry(String device) {
    return book.entry(subject, ProgressBook.Device.proved(device));
  }

  /** Nothing is written meanwhile. */
  private static ProgressStore store() {
    return (ProgressStore)
        Proxy.newProxyInstance(
            ProgressStore.class.getClassLoader(),
            new Class<?>[] {ProgressStore.class},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.getName());
            });
  }
}

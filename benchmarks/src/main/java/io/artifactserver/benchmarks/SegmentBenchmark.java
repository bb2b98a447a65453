package io.artifactserver.benchmarks;

import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One range of a large encrypted blob beside the same of a plain one: it costs what it weighs,
 * wherever it is. The files are warm in the page cache.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class SegmentBenchmark {
  /** The range to read, and where to. */
  // JMH calls the set-up before anything else; a constructor cannot do its work.
  @SuppressWarnings("NullAway.Init")
  @State(Scope.Thread)
  public static class Range {
    /** Where it begins, in bytes. */
    @Param({"0", "600000000"})
    long position;

    /** In bytes. */
    @Param("131072")
    int length;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);
    private ByteRange range;

    /** Makes room. */
    @Setup(Level.Trial)
    public void allocate() {
      range = new ByteRange(position, length);
    }
  }

  /** The plain file, by positional reads into a direct buffer that is used again. */
  @Benchmark
  public long plain(PlainBlob blob, Range range) throws IOException {
    return blob.read(range.range, range.buffer);
  }

  /** The same of the encrypted one: every byte authenticated. */
  @Benchmark
  public long encrypted(EncryptedBlob blob, Range range) throws IOException {
    return blob.read(range.range, range.buffer);
  }
}

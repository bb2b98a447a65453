package io.artifactserver.benchmarks;

import io.artifactserver.benchmarks.baseline.CommonsIoRangeCopy;
import io.artifactserver.core.blob.FileRegion;
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
 * One range of a large blob: the time must not depend on its position, nor the garbage on its
 * length. The files are warm in the page cache.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class SeekBenchmark {
  /** The range to read, and where to. */
  // JMH calls the set-up before anything else; a constructor cannot do its work.
  @SuppressWarnings("NullAway.Init")
  @State(Scope.Thread)
  public static class Range {
    /** Where it begins, in bytes. */
    @Param({"0", "100000000", "400000000", "600000000"})
    long position;

    /** In bytes. */
    @Param("1048576")
    int length;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);
    private ByteRange range;
    private byte[] target;

    /** Makes room. */
    @Setup(Level.Trial)
    public void allocate() {
      range = new ByteRange(position, length);
      target = new byte[length];
    }
  }

  /** By positional reads into a direct buffer that is used again. */
  @Benchmark
  public long pread(PlainBlob blob, Range range) throws IOException {
    return blob.read(range.range, range.buffer);
  }

  /** From the mapping, copied as a socket would. */
  @Benchmark
  public int mappedCopy(PlainBlob blob, Range range) throws IOException {
    try (FileRegion region = blob.blob().fileRegion(range.range).orElseThrow()) {
      region.slice(0, range.length).get(range.target);
    }
    return range.target[range.length - 1];
  }

  /** Every byte authenticated. */
  @Benchmark
  public long encrypted(EncryptedBlob blob, Range range) throws IOException {
    return blob.read(range.range, range.buffer);
  }

  /** The old way with a file. */
  @Benchmark
  public int legacySkipFully(PlainBlob blob, Range range) throws IOException {
    return CommonsIoRangeCopy.read(blob.file(), range.position, range.length, range.target);
  }

  /** The old way with a ciphertext. */
  @Benchmark
  public int legacyDecryption(CounterModeFile file, Range range) throws IOException {
    return file.skipping().read(range.position, range.length, range.target);
  }
}

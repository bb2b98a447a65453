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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * 100 MB of a file through copy buffers of several sizes, into a sink that counts: what the size
 * costs without a network. {@link ServerBufferBenchmark} is the same with one.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(2)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
public class BufferSizeBenchmark {
  private static final ByteRange RANGE = new ByteRange(600_000_000, 100_000_000);

  /** One for each thread. */
  // JMH calls the set-up before anything else; a constructor cannot do its work.
  @SuppressWarnings("NullAway.Init")
  @State(Scope.Thread)
  public static class Buffer {
    /** In bytes. */
    @Param({"8192", "16384", "32768", "65536", "131072", "262144", "524288", "1048576"})
    int bufferLength;

    private ByteBuffer bytes;

    /** Makes room. */
    @Setup(Level.Trial)
    public void allocate() {
      bytes = ByteBuffer.allocateDirect(bufferLength);
    }
  }

  /** One download. */
  @Benchmark
  @Threads(1)
  public long oneThread(PlainBlob blob, Buffer buffer) throws IOException {
    return blob.read(RANGE, buffer.bytes);
  }
}

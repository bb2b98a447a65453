package io.artifactserver.benchmarks;

import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.digest.MultiDigester;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Every digest over 64 MiB: side by side, an upload should wait for little more than the slowest.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(2)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
public class DigestBenchmark {
  private static final int TOTAL_LENGTH = 64 << 20;
  private static final int BUFFER_LENGTH = 512 * 1024;

  /** A buffer of random bytes. */
  @State(Scope.Benchmark)
  public static class Content {
    private final byte[] bytes = new byte[BUFFER_LENGTH];

    @Setup(Level.Trial)
    public void fill() {
      new Random(1).nextBytes(bytes);
    }
  }

  /** As many threads as the machine has processors. */
  @State(Scope.Benchmark)
  public static class Threads {
    private final ExecutorService executor =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());

    Executor executor() {
      return executor;
    }

    /** Ends them. */
    @TearDown(Level.Trial)
    public void stop() {
      executor.close();
    }
  }

  /** The digest to compute alone. */
  @State(Scope.Benchmark)
  public static class Single {
    @Param DigestAlgorithm algorithm = DigestAlgorithm.SHA_256;
  }

  /** All digests, side by side, as an upload computes them. */
  @Benchmark
  public Digests all(Content content, Threads threads) {
    return all(content, threads.executor());
  }

  /** All digests in one pass of one thread. */
  @Benchmark
  public Digests oneThread(Content content) {
    return all(content, Runnable::run);
  }

  /** One digest. */
  @Benchmark
  public byte[] one(Content content, Single single) {
    MessageDigest messageDigest = single.algorithm.newMessageDigest();
    for (int position = 0; position < TOTAL_LENGTH; position += BUFFER_LENGTH) {
      messageDigest.update(content.bytes);
    }
    return messageDigest.digest();
  }

  private static Digests all(Content content, Executor executor) {
    MultiDigester digester = new MultiDigester(executor);
    for (int position = 0; position < TOTAL_LENGTH; position += BUFFER_LENGTH) {
      digester.update(ByteBuffer.wrap(content.bytes)).join();
    }
    return digester.digests();
  }
}

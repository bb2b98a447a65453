package io.artifactserver.benchmarks;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.remote.window.ChunkWindow;
import io.artifactserver.storage.remote.window.PartWindow;
import io.artifactserver.storage.remote.window.PartWriter;
import io.artifactserver.storage.remote.window.TransferBudget;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
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
 * One blob in chunks, from and to a backend that answers each after 25 ms, give or take a jitter of
 * up to 10 ms: the parameters, and the seeds, of the benchmark of the same name that Bazel
 * published its figures of (812 to 68 ms for 32 x 1 KiB, 12,849 to 991 ms for 512 x 1 MiB, window 1
 * against 16). A window of 1 is the baseline. The delay passes on a scheduler's threads; the bytes
 * are copied into the window and out of it as a body is, in pieces of 64 KiB.
 */
// JMH calls the set-up before anything else; a constructor cannot do its work.
@SuppressWarnings("NullAway.Init")
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 3, time = 3)
@Fork(1)
public class ChunkedTransferBenchmark {
  private static final int BUFFER_LENGTH = 64 * 1024;

  /** Chunks, and length of each in bytes. */
  @Param({"32x1024", "512x1048576"})
  String chunks;

  /** Most chunks in flight, and in memory. */
  @Param({"1", "16", "64"})
  int window;

  /** Threads on which the backend's delays pass. */
  @Param({"1", "2", "4", "8"})
  int schedulerThreads;

  /** Time until the backend answers, in milliseconds. */
  @Param("25")
  int delayMillis;

  /** How much more or less it may take, in whole milliseconds. */
  @Param("10")
  int jitterMillis;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_LENGTH);
  private ScheduledExecutorService scheduler;
  private Random jitter;
  private byte[] chunk;
  private ByteRange blob;
  private ChunkWindow chunkWindow;
  private PartWindow partWindow;

  @Setup(Level.Trial)
  public void startScheduler() {
    int chunkCount = Integer.parseInt(chunks.substring(0, chunks.indexOf('x')));
    int chunkLength = Integer.parseInt(chunks.substring(chunks.indexOf('x') + 1));
    scheduler = Executors.newScheduledThreadPool(schedulerThreads);
    jitter = new Random(12345);
    chunk = new byte[chunkLength];
    new Random(42).nextBytes(chunk);
    blob = ByteRange.whole((long) chunkCount * chunkLength);
    // Exactly the window: whatever were above it would be refused.
    TransferBudget budget = new TransferBudget((long) window * chunkLength);
    chunkWindow = new ChunkWindow(chunkLength, window, budget);
    partWindow = new PartWindow(number -> chunkLength, window, budget);
  }

  @TearDown(Level.Trial)
  public void stopScheduler() {
    scheduler.shutdownNow();
  }

  @Benchmark
  public long download() throws StorageException {
    try (RangeReader reader = chunkWindow.open(blob, this::answer)) {
      return LargeBlob.read(reader, buffer);
    }
  }

  @Benchmark
  public int upload() throws StorageException {
    try (PartWriter writer = partWindow.open((number, part) -> delay())) {
      for (long written = 0; written < blob.length(); written += buffer.limit()) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), blob.length() - written));
        buffer.put(0, chunk, 0, Math.min(chunk.length, buffer.limit()));
        writer.write(buffer);
      }
      return writer.finish();
    }
  }

  private RangeReader answer(ByteRange range) throws StorageException {
    delay();
    return new Answer(ByteBuffer.wrap(chunk, 0, (int) range.length()));
  }

  private void delay() throws StorageException {
    CountDownLatch answered = new CountDownLatch(1);
    var _ = scheduler.schedule(answered::countDown, delayMillis(), TimeUnit.MILLISECONDS);
    try {
      answered.await();
    } catch (InterruptedException e) {
      throw new StorageException.StorageUnavailable("slow", "cancelled", e);
    }
  }

  private int delayMillis() {
    return delayMillis + jitter.nextInt(2 * jitterMillis + 1) - jitterMillis;
  }

  /** A body that has come. */
  private record Answer(ByteBuffer bytes) implements RangeReader {
    @Override
    public int read(ByteBuffer target) {
      int length = Math.min(bytes.remaining(), target.remaining());
      target.put(target.position(), bytes, bytes.position(), length);
      target.position(target.position() + length);
      bytes.position(bytes.position() + length);
      return length;
    }

    @Override
    public Wait waitToRead(int length) {
      return Wait.REMOTE;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}

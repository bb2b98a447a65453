package io.artifactserver.benchmarks.planted;

import io.artifactserver.benchmarks.EncryptedBlob;
import io.artifactserver.benchmarks.PlainBlob;
import io.artifactserver.benchmarks.SeekBenchmark;
import io.artifactserver.benchmarks.SegmentBenchmark;
import io.artifactserver.benchmarks.planted.PlantedBlobStore.Fault;
import io.artifactserver.core.blob.BlobStore;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The benchmarks of blobs, over stores that have regressed. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class PlantedStores {

  /** Read and discarded. */
  @State(Scope.Benchmark)
  public static class SkippingBlob extends PlainBlob {
    @Override
    protected BlobStore store(BlobStore files) {
      return new PlantedBlobStore(files, Fault.SKIPS);
    }
  }

  /** The same under the encryption. */
  @State(Scope.Benchmark)
  public static class SkippingEncryptedBlob extends EncryptedBlob {
    @Override
    protected BlobStore store(BlobStore files) {
      return super.store(new PlantedBlobStore(files, Fault.SKIPS));
    }
  }

  /** Through new buffers. */
  @State(Scope.Benchmark)
  public static class AllocatingBlob extends PlainBlob {
    @Override
    protected BlobStore store(BlobStore files) {
      return new PlantedBlobStore(files, Fault.ALLOCATES);
    }
  }

  /** The same over the encryption. */
  @State(Scope.Benchmark)
  public static class AllocatingEncryptedBlob extends EncryptedBlob {
    @Override
    protected BlobStore store(BlobStore files) {
      return new PlantedBlobStore(super.store(files), Fault.ALLOCATES);
    }
  }

  @Benchmark
  public long skippingPread(SkippingBlob blob, SeekBenchmark.Range range) throws IOException {
    return new SeekBenchmark().pread(blob, range);
  }

  @Benchmark
  public int skippingMap(SkippingBlob blob, SeekBenchmark.Range range) throws IOException {
    return new SeekBenchmark().mappedCopy(blob, range);
  }

  @Benchmark
  public long skippingEncrypted(SkippingEncryptedBlob blob, SeekBenchmark.Range range)
      throws IOException {
    return new SeekBenchmark().encrypted(blob, range);
  }

  @Benchmark
  public long allocatingPread(AllocatingBlob blob, SeekBenchmark.Range range) throws IOException {
    return new SeekBenchmark().pread(blob, range);
  }

  @Benchmark
  public int allocatingMap(AllocatingBlob blob, SeekBenchmark.Range range) throws IOException {
    return new SeekBenchmark().mappedCopy(blob, range);
  }

  @Benchmark
  public long allocatingEncrypted(AllocatingEncryptedBlob blob, SegmentBenchmark.Range range)
      throws IOException {
    return new SegmentBenchmark().encrypted(blob, range);
  }
}

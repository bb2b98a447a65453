package io.artifactserver.benchmarks;

import io.artifactserver.benchmarks.baseline.SkippingRangeCopy;
import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.file.FileBlobStore;
import io.artifactserver.storage.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One range of a large blob: the time must not depend on its position, nor the garbage on its
 * length. The file is warm in the page cache.
 */
// JMH calls the set-up before anything else; a constructor cannot do its work.
@SuppressWarnings("NullAway.Init")
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SeekBenchmark {
  private static final int MEGABYTE = 1_000_000;
  private static final int BLOB_LENGTH = 800 * MEGABYTE;
  private static final int BUFFER_LENGTH = 64 * 1024;

  /** Where the range begins, in bytes. */
  @Param({"0", "100000000", "400000000", "600000000"})
  long position;

  /** Length of the range in bytes. */
  @Param("1048576")
  int length;

  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_LENGTH);
  private Path folder;
  private byte[] target;
  private Blob blob;
  private SkippingRangeCopy skipping;

  @Setup(Level.Trial)
  public void createBlob() throws IOException {
    folder = Files.createTempDirectory("seek-benchmark");
    target = new byte[length];
    FileBlobStore store = FileBlobStore.open(folder, mappedFiles);
    byte[] content = new byte[MEGABYTE];
    Random random = new Random(1);
    BlobRef ref;
    try (BlobUpload upload = store.begin()) {
      for (long written = 0; written < BLOB_LENGTH; written += content.length) {
        random.nextBytes(content);
        upload.write(ByteBuffer.wrap(content));
      }
      ref = upload.commit();
    }
    blob = store.blob(ref);
    skipping = new SkippingRangeCopy(onlyFile(folder));
  }

  @TearDown(Level.Trial)
  public void deleteBlob() throws IOException {
    mappedFiles.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** By positional reads into a direct buffer that is used again. */
  @Benchmark
  public long pread() throws IOException {
    long total = 0;
    try (RangeReader reader = blob.open(new ByteRange(position, length))) {
      buffer.clear();
      for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
        total += n;
        buffer.clear();
      }
    }
    return total;
  }

  /** From the mapping, copied as a socket would. */
  @Benchmark
  public int mappedCopy() throws IOException {
    try (FileRegion region = blob.fileRegion(new ByteRange(position, length)).orElseThrow()) {
      region.slice(0, length).get(target);
    }
    return target[length - 1];
  }

  /** What a request costs before the socket: lease and slice. */
  @Benchmark
  public int mappedSlice() throws IOException {
    try (FileRegion region = blob.fileRegion(new ByteRange(position, length)).orElseThrow()) {
      return region.slice(0, length).remaining();
    }
  }

  /** As {@link #mappedSlice}, and asks whether the range is in the page cache. */
  @Benchmark
  public boolean mappedResidency() throws IOException {
    try (FileRegion region = blob.fileRegion(new ByteRange(position, length)).orElseThrow()) {
      return region.isResident(0, length);
    }
  }

  /** The old way. */
  @Benchmark
  public int baseline() throws IOException {
    return skipping.read(position, length, target);
  }

  private static Path onlyFile(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).findAny().orElseThrow();
    }
  }
}

package io.artifactserver.benchmarks;

import com.google.crypto.tink.subtle.AesGcmHkdfStreaming;
import io.artifactserver.benchmarks.baseline.SkippingDecryption;
import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.encrypted.EncryptedBlobStore;
import io.artifactserver.storage.encrypted.KeyRing;
import io.artifactserver.storage.file.FileBlobStore;
import io.artifactserver.storage.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
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
 * One range of a large encrypted blob beside the same of a plain one: it costs what it weighs,
 * wherever it is. The files are warm in the page cache.
 */
// JMH calls the set-up before anything else; a constructor cannot do its work.
@SuppressWarnings("NullAway.Init")
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SegmentBenchmark {
  private static final int MEGABYTE = 1_000_000;
  private static final long BLOB_LENGTH = 800L * MEGABYTE;
  private static final int BUFFER_LENGTH = 64 * 1024;
  private static final byte[] TINK_KEY = new byte[32];
  private static final byte[] NO_ASSOCIATED_DATA = {};

  /** Where the range begins, in bytes. */
  @Param({"0", "600000000"})
  long position;

  /** Length of the range in bytes. */
  @Param("131072")
  int length;

  /** Length of a segment in bytes. */
  @Param("65536")
  int segmentLength;

  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_LENGTH);
  private Path folder;
  private byte[] target;
  private Blob plain;
  private Blob encrypted;
  private SkippingDecryption skipping;
  private AesGcmHkdfStreaming tink;
  private Path tinkFile;
  private FileChannel tinkChannel;
  private SeekableByteChannel openTink;

  @Setup(Level.Trial)
  public void createBlobs() throws IOException, GeneralSecurityException {
    folder = Files.createTempDirectory("segment-benchmark");
    target = new byte[length];
    FileBlobStore files = FileBlobStore.open(folder, mappedFiles);
    EncryptedBlobStore store =
        new EncryptedBlobStore(files, new HeapDataKeys(), KeyRing.ephemeral(), segmentLength);
    plain = files.blob(fill(files));
    encrypted = store.blob(fill(store));
    skipping = new SkippingDecryption(folder.resolve("skipping"));
    skipping.create(BLOB_LENGTH);
    tink = new AesGcmHkdfStreaming(TINK_KEY, "HmacSha256", 32, segmentLength, 0);
    tinkFile = folder.resolve("tink");
    try (var stream =
        tink.newEncryptingStream(Files.newOutputStream(tinkFile), NO_ASSOCIATED_DATA)) {
      byte[] content = new byte[MEGABYTE];
      for (long written = 0; written < BLOB_LENGTH; written += content.length) {
        stream.write(content);
      }
    }
    tinkChannel = FileChannel.open(tinkFile, StandardOpenOption.READ);
    openTink = tink.newSeekableDecryptingChannel(tinkChannel, NO_ASSOCIATED_DATA);
  }

  @TearDown(Level.Trial)
  public void deleteBlobs() throws IOException {
    openTink.close();
    tinkChannel.close();
    mappedFiles.close();
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** The plain file, by positional reads into a direct buffer that is used again. */
  @Benchmark
  public long plain() throws IOException {
    return drain(plain);
  }

  /** The same of the encrypted one: every byte authenticated. */
  @Benchmark
  public long encrypted() throws IOException {
    return drain(encrypted);
  }

  /** Stock Tink, opened for the range as a request would. */
  @Benchmark
  public long tinkOpened() throws IOException, GeneralSecurityException {
    try (FileChannel file = FileChannel.open(tinkFile, StandardOpenOption.READ);
        SeekableByteChannel channel = tink.newSeekableDecryptingChannel(file, NO_ASSOCIATED_DATA)) {
      return drain(channel);
    }
  }

  /** Stock Tink, kept open: no two requests could share it. */
  @Benchmark
  public long tinkKeptOpen() throws IOException {
    return drain(openTink);
  }

  /** The old way. */
  @Benchmark
  public int baseline() throws IOException {
    return skipping.read(position, length, target);
  }

  private long drain(Blob blob) throws IOException {
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

  private long drain(SeekableByteChannel channel) throws IOException {
    channel.position(position);
    long total = 0;
    while (total < length) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), length - total));
      total += channel.read(buffer);
    }
    return total;
  }

  private static BlobRef fill(BlobStore store) throws IOException {
    byte[] content = new byte[MEGABYTE];
    Random random = new Random(1);
    try (BlobUpload upload = store.begin()) {
      for (long written = 0; written < BLOB_LENGTH; written += content.length) {
        random.nextBytes(content);
        upload.write(ByteBuffer.wrap(content));
      }
      return upload.commit();
    }
  }
}

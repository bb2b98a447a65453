package io.artifactserver.benchmarks;

import com.google.crypto.tink.subtle.AesGcmHkdfStreaming;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
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
 * One range of a large encrypted blob beside the same of a plain one: it costs what it weighs,
 * wherever it is. The files are warm in the page cache.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class SegmentBenchmark {
  private static final byte[] NO_ASSOCIATED_DATA = {};

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
    private byte[] target;

    /** Makes room. */
    @Setup(Level.Trial)
    public void allocate() {
      range = new ByteRange(position, length);
      target = new byte[length];
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
  }

  /** The same bytes as stock Tink keeps them. */
  // JMH calls the set-up before anything else; a constructor cannot do its work.
  @SuppressWarnings("NullAway.Init")
  @State(Scope.Benchmark)
  public static class TinkFile {
    private static final int PIECE_LENGTH = 1_000_000;

    private Path file;
    private AesGcmHkdfStreaming tink;
    private FileChannel channel;
    private SeekableByteChannel plain;

    /** Writes the file. */
    @Setup(Level.Trial)
    public void create() throws IOException, GeneralSecurityException {
      file = Files.createTempFile("benchmark-tink", "");
      tink = new AesGcmHkdfStreaming(new byte[32], "HmacSha256", 32, 16 * 1024, 0);
      try (var stream = tink.newEncryptingStream(Files.newOutputStream(file), NO_ASSOCIATED_DATA)) {
        byte[] content = new byte[PIECE_LENGTH];
        for (long written = 0; written < LargeBlob.LENGTH; written += content.length) {
          stream.write(content);
        }
      }
      channel = FileChannel.open(file, StandardOpenOption.READ);
      plain = tink.newSeekableDecryptingChannel(channel, NO_ASSOCIATED_DATA);
    }

    /** Deletes it. */
    @TearDown(Level.Trial)
    public void delete() throws IOException {
      plain.close();
      channel.close();
      Files.delete(file);
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

  /** Stock Tink, opened for the range as a request would. */
  @Benchmark
  public long tinkOpened(TinkFile file, Range range) throws IOException, GeneralSecurityException {
    try (FileChannel channel = FileChannel.open(file.file, StandardOpenOption.READ);
        SeekableByteChannel plain =
            file.tink.newSeekableDecryptingChannel(channel, NO_ASSOCIATED_DATA)) {
      return range.drain(plain);
    }
  }

  /** Stock Tink, kept open: no two requests could share it. */
  @Benchmark
  public long tinkKeptOpen(TinkFile file, Range range) throws IOException {
    return range.drain(file.plain);
  }

  /** The old way. */
  @Benchmark
  public int legacy(CounterModeFile file, Range range) throws IOException {
    return file.skipping().read(range.position, range.length, range.target);
  }
}

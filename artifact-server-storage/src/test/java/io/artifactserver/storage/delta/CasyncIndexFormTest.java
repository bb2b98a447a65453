package io.artifactserver.storage.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compared byte by byte with what Debian's casync writes. */
class CasyncIndexFormTest {
  private static final int FLAGS = 16;

  private final CasyncIndexForm form = new CasyncIndexForm();

  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("io.artifactserver.storage.delta.Sample#lengths")
  void isCasyncs(int length) throws Exception {
    assertIsCasyncs(Files.write(folder.resolve("sample"), Sample.random(length, length)));
  }

  @Test
  void isCasyncsForZeros() throws Exception {
    assertIsCasyncs(Files.write(folder.resolve("sample"), new byte[1_000_001]));
  }

  @ParameterizedTest
  @ValueSource(strings = {"squashfs", "ext4"})
  void isCasyncsForFileSystem(String type) throws Exception {
    assertIsCasyncs(Sample.fileSystem(folder, type, 0));
  }

  /** casync looks for a boundary as soon as a chunk has its least length; desync does not. */
  @Test
  void cutsAtLeastLength() throws Exception {
    byte[] bytes = Sample.random(3 * Chunker.MIN, 3);
    byte[] window = boundary();
    System.arraycopy(window, 0, bytes, Chunker.MIN - window.length, window.length);
    Path sample = Files.write(folder.resolve("sample"), bytes);
    ChunkIndex index = form.index(ByteBuffer.wrap(Sample.derive(form, sample)));
    assertThat(index.chunk(0).range().length()).isEqualTo(Chunker.MIN);
    assertIsCasyncs(sample);
  }

  @Test
  void everyChunkResolvesAndAllOfThemAreTheFile() throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      byte[] bytes = Sample.random(seed * 77_777, seed);
      // Repeats, too.
      System.arraycopy(bytes, 0, bytes, bytes.length / 2, bytes.length / 2);
      Path sample = Files.write(folder.resolve("sample"), bytes);
      ChunkIndex index = form.index(ByteBuffer.wrap(Sample.derive(form, sample)));
      assertThat(index.length()).isEqualTo(bytes.length);
      long end = 0;
      for (int i = 0; i < index.count(); i++) {
        ChunkIndex.Chunk chunk = index.chunk(i);
        assertThat(chunk.range().position()).isEqualTo(end);
        end = chunk.range().end();
        byte[] id = id(bytes(bytes, chunk));
        assertThat(chunk.id()).isEqualTo(ByteBuffer.wrap(id));
        assertThat(bytes(bytes, index.find(id).orElseThrow())).isEqualTo(bytes(bytes, chunk));
        assertThat(index.has(chunk)).isTrue();
      }
      assertThat(index.find(id(new byte[] {1}))).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 131_071, 131_072, 131_073, 262_143, 262_144})
  void zstdReadsFrame(int length) throws Exception {
    Programs.assumeInstalled("zstd");
    byte[] bytes = Sample.random(length + 7, length);
    byte[] id = new byte[ChunkIndex.ID_LENGTH];
    ChunkIndex index = ChunkIndex.of(new long[] {7, length + 7}, new byte[2 * id.length]);
    FramedChunk framed = form.frame(index.chunk(1));
    Path frame = folder.resolve("frame.zst");
    try (RandomAccessFile out = new RandomAccessFile(frame.toFile(), "rw")) {
      for (FramedChunk.Piece piece : framed.pieces()) {
        out.getChannel().write(piece.framing().duplicate());
        out.write(bytes, (int) piece.range().position(), (int) piece.range().length());
      }
      assertThat(out.length()).isEqualTo(framed.length());
    }
    Tool.run(folder, "zstd", "-q", "-d", "frame.zst", "-o", "out");
    assertThat(folder.resolve("out")).hasBinaryContent(Arrays.copyOfRange(bytes, 7, bytes.length));
  }

  @Test
  void refusesWhatIsNoIndex() {
    assertThatThrownBy(() -> form.index(ByteBuffer.allocate(104)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> form.index(ByteBuffer.allocate(3)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void assertIsCasyncs(Path sample) throws IOException, InterruptedException {
    Programs.assumeInstalled("casync");
    Tool.run(folder, "casync", "make", "--store=store", "theirs.caibx", sample.toString());
    byte[] theirs = Files.readAllBytes(folder.resolve("theirs.caibx"));
    assertThat(theirs[FLAGS + 7]).isEqualTo((byte) 0xb0);
    theirs[FLAGS + 7] = (byte) 0xa0;
    assertThat(HexFormat.of().formatHex(Sample.derive(form, sample)))
        .isEqualTo(HexFormat.of().formatHex(theirs));
  }

  private static byte[] bytes(byte[] blob, ChunkIndex.Chunk chunk) {
    return Arrays.copyOfRange(blob, (int) chunk.range().position(), (int) chunk.range().end());
  }

  private static byte[] id(byte[] bytes) throws Exception {
    return MessageDigest.getInstance("SHA-512/256").digest(bytes);
  }

  /** A window at which a chunk ends. */
  private static byte[] boundary() {
    for (int seed = 0; ; seed++) {
      byte[] window = Sample.random(Buzhash.WINDOW, seed);
      int hash = 0;
      for (byte each : window) {
        hash = Buzhash.add(hash, each);
      }
      if (Integer.remainderUnsigned(hash, Chunker.DISCRIMINATOR) == Chunker.DISCRIMINATOR - 1) {
        return window;
      }
    }
  }
}

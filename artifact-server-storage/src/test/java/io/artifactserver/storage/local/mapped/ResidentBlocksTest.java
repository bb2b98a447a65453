package io.artifactserver.storage.local.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResidentBlocksTest {
  private static final int LENGTH = (int) (2 * ResidentBlocks.BLOCK_LENGTH + 5000);

  @TempDir private Path folder;
  private long nanos = 17;

  @Test
  void everyRangeOfAFileThatWasJustWrittenIsThere() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      ResidentBlocks blocks = new ResidentBlocks(map(arena, LENGTH), () -> nanos);
      for (int i = 0; i < 3; i++) {
        assertThat(blocks.contain(0, LENGTH)).isTrue();
        assertThat(blocks.contain(LENGTH - 1L, 1)).isTrue();
        assertThat(blocks.contain(ResidentBlocks.BLOCK_LENGTH - 1, 2)).isTrue();
        assertThat(blocks.contain(LENGTH, 0)).isTrue();
        nanos += Duration.ofMillis(700).toNanos();
      }
    }
  }

  @Test
  void emptyFile() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      assertThat(new ResidentBlocks(map(arena, 0), () -> nanos).contain(0, 0)).isTrue();
    }
  }

  /** A sparse file has no pages in memory until they are touched, and they come by read-ahead. */
  @Test
  void answerIsBelievedForAWhileAndAskedForAgain() throws IOException {
    Path file = folder.resolve("sparse");
    try (Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      channel.write(java.nio.ByteBuffer.allocate(1), 2 * ResidentBlocks.BLOCK_LENGTH - 1);
      MemorySegment bytes = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
      ResidentBlocks blocks = new ResidentBlocks(bytes, () -> nanos);
      assertThat(blocks.contain(0, 4096)).isFalse();
      bytes.asSlice(0, ResidentBlocks.BLOCK_LENGTH).load();
      assertThat(blocks.contain(0, 4096)).as("asks for the very range").isTrue();
      nanos += Duration.ofSeconds(2).toNanos();
      assertThat(blocks.contain(0, ResidentBlocks.BLOCK_LENGTH)).isTrue();
    }
  }

  private MemorySegment map(Arena arena, int length) throws IOException {
    Path file = folder.resolve("file-" + length);
    Files.write(file, new byte[length]);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
    }
  }
}

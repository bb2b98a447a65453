package io.artifactserver.storage.local.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiskReserveTest {
  @TempDir private Path folder;

  /** A half-made one, too: others took the room, or the server died meanwhile. */
  @ParameterizedTest
  @ValueSource(strings = {"reserve", "reserve.part"})
  void isGivenUpOnAFullDisk(String name) throws Exception {
    if (run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.toString()) != 0) {
      abort("SKIPPED: a full disk was not tried, because this user may not mount a tmpfs");
    }
    try {
      Path file = folder.resolve(name);
      assertThatIOException().isThrownBy(() -> fill(file)).withMessageContaining("No space left");
      try (DiskReserve reserve = DiskReserve.of(folder)) {
        assertThat(file).doesNotExist();
        assertThat(reserve.hasRoomFor(1_000_000)).isTrue();
      }
    } finally {
      assertThat(run("umount", folder.toString())).isZero();
    }
  }

  @Test
  void staysWhereThereIsRoom() throws IOException {
    Path file = Files.writeString(folder.resolve("reserve"), "room");
    try (DiskReserve reserve = DiskReserve.of(folder)) {
      assertThat(reserve.length()).isPositive();
      assertThat(file).exists();
    }
  }

  private static void fill(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      byte[] block = new byte[1 << 16];
      for (int i = 0; i < 1000; i++) {
        out.write(block);
      }
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }
}

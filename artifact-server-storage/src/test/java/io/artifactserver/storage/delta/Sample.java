package io.artifactserver.storage.delta;

import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.program.Programs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Files to derive from. */
final class Sample {
  private Sample() {}

  /** Random bytes, the same for the same seed. */
  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  /** Lengths around every edge of a chunk, a block and a buffer. */
  static Stream<Integer> lengths() {
    return Stream.of(
        0,
        1,
        16,
        47,
        2047,
        2048,
        2049,
        5_000,
        Chunker.MIN - 1,
        Chunker.MIN,
        Chunker.MIN + 1,
        64 * 1024,
        64 * 1024 + 1,
        Chunker.MAX - 1,
        Chunker.MAX,
        Chunker.MAX + 1,
        3_000_000,
        99_999_999,
        100_000_000);
  }

  /** A form's stored bytes, computed from a file in pieces of odd lengths. */
  static byte[] derive(DerivedForm form, Path file) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Derivation derivation =
        form.begin(
            Files.size(file),
            bytes -> {
              byte[] copy = new byte[bytes.remaining()];
              bytes.get(copy);
              out.writeBytes(copy);
            });
    Random random = new Random(1);
    byte[] buffer = new byte[200_000];
    try (InputStream in = Files.newInputStream(file)) {
      for (int length = in.readNBytes(buffer, 0, 1);
          length > 0;
          length = in.readNBytes(buffer, 0, 1 + random.nextInt(buffer.length))) {
        derivation.update(ByteBuffer.wrap(buffer, 0, length));
      }
      derivation.finish();
    }
    return out.toByteArray();
  }

  /** A squashfs or ext4 of a tree of files, with {@code change} in some of them. */
  static Path fileSystem(Path folder, String type, int change)
      throws IOException, InterruptedException {
    Path tree = Files.createDirectories(folder.resolve("tree" + change));
    for (int i = 0; i < 60; i++) {
      byte[] bytes = random(20_000 + 3_001 * i, i);
      if (i % 10 == 0) {
        bytes[i] += (byte) change;
      }
      // Text-like halves, so that compression has something to do.
      for (int j = 0; j < bytes.length / 2; j++) {
        bytes[j] = (byte) ('a' + (bytes[j] & 7));
      }
      Files.write(tree.resolve("file" + i), bytes);
    }
    Path image = folder.resolve("image" + change + '.' + type);
    if (type.equals("squashfs")) {
      Programs.assumeInstalled("mksquashfs");
      Tool.run(folder, "mksquashfs", tree.toString(), image.toString(), "-noappend", "-quiet");
    } else {
      Programs.assumeInstalled("mke2fs");
      Tool.run(
          folder, "mke2fs", "-q", "-t", "ext4", "-d", tree.toString(), image.toString(), "24M");
    }
    return image;
  }
}

package io.artifactserver.rest.command.doctor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The speed of a folder's disk for one long file, in bytes a second.
 *
 * @param write with the {@code fsync} at the end, as an upload does it
 * @param read past the page cache, as a cold artifact is read; empty if the file system cannot
 */
record DiskSpeed(double write, OptionalDouble read) {
  private static final int PIECE = 1 << 20;
  private static final int MOST_PIECES = 128;
  private static final long MOST_NANOS = 3_000_000_000L;

  /** For direct reads: a multiple of every disk's block length. */
  private static final int ALIGNMENT = 4096;

  /**
   * Writes up to 128 MiB, for up to three seconds and the {@code fsync}, and reads them again. The
   * file has no name while it is used, so nothing stays behind.
   *
   * @param folder that exists
   * @throws IOException if the folder cannot be written to
   */
  static DiskSpeed measure(Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "doctor-", ".tmp");
    try (FileChannel writer = FileChannel.open(file, StandardOpenOption.WRITE);
        FileChannel reader = openDirect(file)) {
      Files.delete(file);
      ByteBuffer piece = ByteBuffer.allocateDirect(PIECE + ALIGNMENT).alignedSlice(ALIGNMENT);
      double write = write(writer, piece);
      return new DiskSpeed(write, reader == null ? OptionalDouble.empty() : read(reader, piece));
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static @Nullable FileChannel openDirect(Path file) throws IOException {
    try {
      // Named, because the compiler warns of its import whatever is suppressed.
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      for (Object option : options.getEnumConstants()) {
        if (option.toString().equals("DIRECT")) {
          return FileChannel.open(file, StandardOpenOption.READ, (OpenOption) option);
        }
      }
      return null;
    } catch (ClassNotFoundException | UnsupportedOperationException e) {
      return null;
    } catch (IOException e) {
      // EINVAL is what a file system without direct reads says.
      if (Files.isReadable(file)) {
        return null;
      }
      throw e;
    }
  }

  private static double write(FileChannel writer, ByteBuffer piece) throws IOException {
    long length = 0;
    long nanos = 0;
    for (int i = 0; i < MOST_PIECES && nanos < MOST_NANOS; i++) {
      // Fresh noise for every piece: a disk that compresses or shares blocks must not shine.
      fill(piece.clear().limit(PIECE), i);
      long begin = System.nanoTime();
      while (piece.hasRemaining()) {
        length += writer.write(piece);
      }
      nanos += System.nanoTime() - begin;
    }
    long begin = System.nanoTime();
    writer.force(true);
    return length * 1e9 / (nanos + System.nanoTime() - begin);
  }

  private static OptionalDouble read(FileChannel reader, ByteBuffer piece) {
    long begin = System.nanoTime();
    long length = 0;
    try {
      while (System.nanoTime() - begin < MOST_NANOS) {
        int count = reader.read(piece.clear().limit(PIECE), length);
        if (count <= 0) {
          break;
        }
        length += count;
      }
    } catch (IOException e) {
      // Some file systems take the option and refuse the read.
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(length * 1e9 / (System.nanoTime() - begin));
  }

  private static void fill(ByteBuffer piece, long seed) {
    SplittableRandom noise = new SplittableRandom(seed);
    for (int position = 0; position < piece.limit(); position += Long.BYTES) {
      piece.putLong(position, noise.nextLong());
    }
  }
}

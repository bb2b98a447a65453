package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/** The bytes that every body is compared with, one by one. Thread-safe. */
sealed interface Content {

  /** Length of the whole, in bytes. */
  long length();

  /**
   * Compares received bytes with what belongs there. Does no I/O of its own.
   *
   * @param received from its position to its limit; neither changes
   * @param position of the first of them in the content; the last must be within the content
   * @return position in the content of the first byte that differs, or -1
   */
  long mismatch(ByteBuffer received, long position);

  /**
   * Compares a part of an answer.
   *
   * @param offset of the received bytes in the answer to a request for the span
   * @throws WrongBytesException if one differs
   */
  default void compare(ByteBuffer received, ByteSpan span, long offset, Target from) {
    long differs = mismatch(received, span.position() + offset);
    if (differs >= 0) {
      throw new WrongBytesException(
          "%s sent a wrong byte at position %d, in its answer to %s"
              .formatted(from, differs, span));
    }
  }

  /**
   * Random bytes that need not be kept: a table of pages, used again and again, each time with the
   * page's number in front. Comparing with it stays in the processor's cache, so that the client
   * costs every server the same; comparing with the served file would find it warm in the cache for
   * the server that shares its pages, and cold for the one that keeps a copy.
   */
  record Stamped(long length, long seed, ByteBuffer table) implements Content {
    static final int PAGE = 4096;
    private static final int TABLE_PAGES = 13;
    private static final int STAMP = Long.BYTES;

    public Stamped {
      table = table.asReadOnlyBuffer();
    }

    static Stamped of(long length, long seed) {
      byte[] pages = new byte[TABLE_PAGES * PAGE];
      new SplittableRandom(seed).nextBytes(pages);
      return new Stamped(length, seed, ByteBuffer.allocateDirect(pages.length).put(0, pages));
    }

    private byte stamp(long page, int index) {
      return (byte) (stamp(page) >>> (8 * (STAMP - 1 - index)));
    }

    /** Distinct for each page, and without the zero bytes of a small number. */
    private long stamp(long page) {
      return (page + 1) * 0x9E3779B97F4A7C15L ^ seed;
    }

    private static int tableOffset(long page) {
      return (int) (page % TABLE_PAGES) * PAGE;
    }

    @Override
    public long mismatch(ByteBuffer received, long position) {
      MemorySegment actual = MemorySegment.ofBuffer(received);
      MemorySegment expected = MemorySegment.ofBuffer(table);
      long count = actual.byteSize();
      long done = 0;
      while (done < count) {
        long at = position + done;
        long page = at / PAGE;
        int within = (int) (at % PAGE);
        if (within < STAMP) {
          if (actual.get(ValueLayout.JAVA_BYTE, done) != stamp(page, within)) {
            return at;
          }
          done++;
          continue;
        }
        long n = Math.min(PAGE - within, count - done);
        int offset = tableOffset(page) + within;
        long differs = MemorySegment.mismatch(actual, done, done + n, expected, offset, offset + n);
        if (differs >= 0) {
          return at + differs;
        }
        done += n;
      }
      return -1;
    }

    /** Writes it to a file, unless the file is there and has this length and beginning. */
    void writeTo(Path file) throws IOException {
      if (isAt(file)) {
        return;
      }
      try (FileChannel channel =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        ByteBuffer block = ByteBuffer.allocateDirect(256 * PAGE).order(ByteOrder.BIG_ENDIAN);
        for (long page = 0; page * PAGE < length; ) {
          block.clear();
          for (; block.hasRemaining() && page * PAGE < length; page++) {
            int at = block.position();
            block.put(at, table, tableOffset(page), PAGE).putLong(at, stamp(page));
            block.position(at + PAGE);
          }
          block.flip();
          if (page * PAGE > length) {
            block.limit(block.limit() - (int) (page * PAGE - length));
          }
          while (block.hasRemaining()) {
            channel.write(block);
          }
        }
      }
    }

    private boolean isAt(Path file) throws IOException {
      if (!Files.isRegularFile(file) || Files.size(file) != length) {
        return false;
      }
      ByteBuffer block = ByteBuffer.allocateDirect(256 * PAGE);
      try (FileChannel channel = FileChannel.open(file)) {
        for (long position = 0; position < length; position += block.limit()) {
          block.clear();
          if (channel.read(block, position) <= 0 || mismatch(block.flip(), position) >= 0) {
            return false;
          }
        }
      }
      return true;
    }
  }

  /** A file that was given, mapped into memory. It must not change while it is used. */
  record Mapped(MemorySegment bytes) implements Content {
    static Mapped of(Path file) {
      try (FileChannel channel = FileChannel.open(file)) {
        return new Mapped(
            channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.global()));
      } catch (IOException e) {
        throw new UncheckedIOException("Cannot map " + file, e);
      }
    }

    @Override
    public long length() {
      return bytes.byteSize();
    }

    @Override
    public long mismatch(ByteBuffer received, long position) {
      MemorySegment actual = MemorySegment.ofBuffer(received);
      long differs =
          MemorySegment.mismatch(
              actual, 0, actual.byteSize(), bytes, position, position + actual.byteSize());
      return differs < 0 ? -1 : position + differs;
    }
  }
}

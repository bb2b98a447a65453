package io.artifactserver.storage.remote.cache;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The file of one entry: the blob's bytes, then a SHA-256 digest for each piece, then a trailer.
 * Sparse until it is full. Holds nothing open; thread-safe as long as no piece is written twice at
 * the same time.
 *
 * <p>The digest is over the blob's key, the piece's number and its bytes, and is written behind
 * them. So whatever order the disk wrote in when the power was cut, and whoever renamed a file, a
 * piece either has its digest or is fetched again. Zeros stand for a piece that is not stored.
 *
 * @param ref of a blob that is not empty
 * @param pieceLength in bytes
 */
record CacheFile(Path path, BlobRef ref, int pieceLength) implements MappableFile {
  private static final int DIGEST_LENGTH = 32;
  private static final long MAGIC = 0x4153_4341_4348_4531L;
  private static final int TRAILER_LENGTH = Long.BYTES + Integer.BYTES;

  /** The length of the blob in a file of {@code fileLength} bytes, if that can be such a file. */
  static OptionalLong blobLength(long fileLength, int pieceLength) {
    long content = fileLength - TRAILER_LENGTH;
    long pieces = Math.ceilDiv(content, (long) pieceLength + DIGEST_LENGTH);
    long length = content - pieces * DIGEST_LENGTH;
    return pieces > 0
            && pieces <= Integer.MAX_VALUE
            && length > (pieces - 1) * pieceLength
            && length <= pieces * pieceLength
        ? OptionalLong.of(length)
        : OptionalLong.empty();
  }

  int pieces() {
    return Math.toIntExact(Math.ceilDiv(ref.length(), (long) pieceLength));
  }

  int pieceOf(long position) {
    return (int) (position / pieceLength);
  }

  /** The position behind a piece, in bytes; at most the blob's length. */
  long end(int piece) {
    return Math.min(ref.length(), (piece + 1L) * pieceLength);
  }

  ByteRange range(int piece) {
    long start = (long) piece * pieceLength;
    return new ByteRange(start, end(piece) - start);
  }

  /** Length of the full file, in bytes. */
  long length() {
    return digestPosition(pieces()) + TRAILER_LENGTH;
  }

  /** The pieces that have a digest, true or not. Empty if there is no such file. I/O. */
  Optional<BitSet> stored() throws IOException {
    try (FileChannel channel = openForReading()) {
      ByteBuffer trailer = ByteBuffer.allocate(TRAILER_LENGTH);
      if (channel.size() != length()
          || !fill(channel, trailer, digestPosition(pieces()))
          || trailer.getLong() != MAGIC
          || trailer.getInt() != pieceLength) {
        return Optional.empty();
      }
      BitSet stored = new BitSet(pieces());
      byte[] absent = new byte[DIGEST_LENGTH];
      ByteBuffer digests = ByteBuffer.allocate(DIGEST_LENGTH * Math.min(pieces(), 1024));
      for (int first = 0; first < pieces(); first += 1024) {
        int count = Math.min(1024, pieces() - first);
        digests.clear().limit(count * DIGEST_LENGTH);
        if (!fill(channel, digests, digestPosition(first))) {
          return Optional.empty();
        }
        for (int i = 0; i < count; i++) {
          byte[] digest = new byte[DIGEST_LENGTH];
          digests.get(digest);
          stored.set(first + i, !MessageDigest.isEqual(digest, absent));
        }
      }
      return Optional.of(stored);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /** Makes an empty file of the full length, in place of any other. I/O. */
  void create() throws IOException {
    DurableFiles.createFolder(path.resolveSibling(""));
    Files.deleteIfExists(path);
    try (FileChannel channel =
        FileChannel.open(
            path,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            DurableFiles.OWNER_ONLY)) {
      ByteBuffer trailer =
          ByteBuffer.allocate(TRAILER_LENGTH).putLong(MAGIC).putInt(pieceLength).flip();
      drain(channel, trailer, digestPosition(pieces()));
    }
  }

  /**
   * Copies a piece into the file, and its digest behind that. I/O.
   *
   * @param source of exactly the piece's range
   * @param buffer to copy through, on the heap
   * @throws StorageException if the source failed
   * @throws IOException of any other kind if the file did
   */
  void write(int piece, RangeReader source, ByteBuffer buffer) throws IOException {
    ByteRange range = range(piece);
    MessageDigest digest = digestOf(piece);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      long position = range.position();
      while (position < range.end()) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), range.end() - position));
        while (buffer.hasRemaining()) {
          if (source.read(buffer) < 0) {
            throw wrongLength(range, "ended at byte %d".formatted(position + buffer.position()));
          }
        }
        digest.update(buffer.flip());
        drain(channel, buffer.rewind(), position);
        position += buffer.limit();
      }
      // Only behind the last byte may a source find out that it delivered wrong ones.
      if (source.read(buffer.clear()) >= 0) {
        throw wrongLength(range, "went on behind its end");
      }
      drain(channel, ByteBuffer.wrap(digest.digest()), digestPosition(piece));
    }
  }

  /** Whether a piece has the bytes of its digest. I/O. */
  boolean verify(int piece, ByteBuffer buffer) throws IOException {
    ByteRange range = range(piece);
    MessageDigest digest = digestOf(piece);
    try (FileChannel channel = openForReading()) {
      long position = range.position();
      while (position < range.end()) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), range.end() - position));
        if (!fill(channel, buffer, position)) {
          return false;
        }
        digest.update(buffer);
        position += buffer.limit();
      }
      ByteBuffer expected = ByteBuffer.allocate(DIGEST_LENGTH);
      return fill(channel, expected, digestPosition(piece))
          && MessageDigest.isEqual(expected.array(), digest.digest());
    }
  }

  /** Opens the file for reading. I/O. The caller closes the channel. */
  FileChannel openForReading() throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ);
  }

  @Override
  public FileChannel openForMapping() throws StorageException {
    try {
      FileChannel channel = openForReading();
      try {
        if (channel.size() != length()) {
          throw new IOException("%d bytes, not %d".formatted(channel.size(), length()));
        }
        return channel;
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw unavailable(e);
    }
  }

  @Override
  public StorageException unavailable(IOException cause) {
    return new StorageException.StorageUnavailable(
        CachingBlobStore.NAME, "cannot map %s: %s".formatted(path, cause), cause);
  }

  /** Makes the file durable, or tells that the disk did not take it. I/O. */
  void force() throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Remembers when the blob was last used. I/O. */
  void markUsed(Instant lastUsed) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(lastUsed));
  }

  /** Deletes the file if it is there. I/O. */
  void delete() throws IOException {
    Files.deleteIfExists(path);
  }

  @Override
  public String toString() {
    return path.toString();
  }

  private long digestPosition(int piece) {
    return ref.length() + (long) piece * DIGEST_LENGTH;
  }

  private MessageDigest digestOf(int piece) {
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    digest.update(ref.key().getBytes(StandardCharsets.US_ASCII));
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(piece).flip());
    return digest;
  }

  private StorageException wrongLength(ByteRange range, String detail) {
    return new StorageException.StorageUnavailable(
        CachingBlobStore.NAME, "%s of blob %s %s".formatted(range, ref.key(), detail), null);
  }

  private static boolean fill(FileChannel channel, ByteBuffer buffer, long position)
      throws IOException {
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, position + buffer.position()) < 0) {
        return false;
      }
    }
    buffer.flip();
    return true;
  }

  private static void drain(FileChannel channel, ByteBuffer buffer, long position)
      throws IOException {
    while (buffer.hasRemaining()) {
      channel.write(buffer, position + buffer.position());
    }
  }
}

package io.artifactserver.rest.command.client;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.MultiDigester;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The SHA-256 of a file, also of one that is still being fetched: it follows what is there, so that
 * little is left to do when the last byte comes. Run once, by one thread, with a channel of its
 * own: an interrupt closes it.
 */
final class FileDigest implements Callable<String> {
  private static final int BUFFER_LENGTH = 512 * 1024;

  private final Path file;
  private final long length;
  private final FetchedBytes fetched;
  private final boolean isWhole;
  private final AtomicLong position = new AtomicLong();

  /**
   * @param length of the whole file in bytes; there may be others behind them
   * @param fetched what is there
   */
  FileDigest(Path file, long length, FetchedBytes fetched) {
    this(file, length, fetched, false);
  }

  private FileDigest(Path file, long length, FetchedBytes fetched, boolean isWhole) {
    this.file = file;
    this.length = length;
    this.fetched = fetched;
    this.isWhole = isWhole;
  }

  /** The digest of a whole file. It fails if the file delivers more bytes than its size says. */
  static FileDigest of(Path file) throws IOException {
    long length = Files.size(file);
    FetchedBytes whole = new FetchedBytes();
    whole.add(ByteRange.whole(length));
    return new FileDigest(file, length, whole, true);
  }

  /** The SHA-256 of a whole file in hexadecimal, with its progress. */
  static String of(Path file, Console console) throws IOException, InterruptedException {
    FileDigest digest = of(file);
    String name = "SHA-256 of " + file.getFileName();
    try (Progress _ = Progress.ofTransfer(console, name, digest.length, digest.position::get)) {
      return digest.call();
    }
  }

  @Override
  public String call() throws IOException, InterruptedException {
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (position.get() < length) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), length - position.get()));
        fetched.await(new ByteRange(position.get(), buffer.limit()));
        int count = channel.read(buffer, position.get());
        if (count < 0) {
          throw isWhole ? notOfItsSize("fewer") : new IOException("the file has become shorter");
        }
        MultiDigester.update(digest, buffer.flip());
        position.addAndGet(count);
      }
      if (isWhole && channel.read(buffer.clear(), length) > 0) {
        throw notOfItsSize("more");
      }
    }
    return Digest.of(DigestAlgorithm.SHA_256, digest.digest()).hex();
  }

  private IOException notOfItsSize(String fewerOrMore) {
    return new IOException(
        ("it has %s bytes than the %,d of its size: it is being written, or the system makes it up"
                + " as it is read. Copy it, and name the copy")
            .formatted(fewerOrMore, length));
  }
}

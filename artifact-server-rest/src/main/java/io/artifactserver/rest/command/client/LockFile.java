package io.artifactserver.rest.command.client;

import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A file that one process holds at a time. It goes when it is closed; the next process makes it
 * again. I/O; used by one thread.
 */
final class LockFile implements AutoCloseable {
  /** Losses of the file to processes that end just now. */
  private static final int MAX_ATTEMPTS = 10;

  /** Bytes of a lock file, at most; it is sparse but for its last byte. */
  private static final int MAX_LENGTH = 1 << 16;

  private final Path file;
  private final FileChannel channel;

  private LockFile(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Takes the file; empty if another process has it. No symbolic link is followed. */
  static Optional<LockFile> take(Path file) throws IOException {
    if (Files.isSymbolicLink(file)) {
      throw new IOException(file + " is a symbolic link: remove it");
    }
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      FileChannel channel =
          FileChannel.open(
              file,
              Set.of(
                  StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
              DurableFiles.OWNER_ONLY);
      boolean isTaken = false;
      try {
        if (channel.tryLock() == null) {
          return Optional.empty();
        }
        isTaken = isStillThere(file, channel);
        if (isTaken) {
          return Optional.of(new LockFile(file, channel));
        }
      } catch (OverlappingFileLockException e) {
        return Optional.empty();
      } catch (IOException e) {
        Files.deleteIfExists(file);
        throw e;
      } finally {
        if (!isTaken) {
          channel.close();
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Whether a file that was opened still has its name: its last holder may have deleted it between
   * the opening and the lock. It gets a length by chance, and that is compared. To open it again
   * would not do: a process loses its POSIX lock of a file when it closes any channel on it.
   */
  static boolean isStillThere(Path file, FileChannel channel) throws IOException {
    int length = ThreadLocalRandom.current().nextInt(1, MAX_LENGTH);
    channel.truncate(0);
    int _ = channel.write(ByteBuffer.allocate(1), length - 1);
    try {
      return Files.size(file) == length;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    try (channel) {
      Files.deleteIfExists(file);
    }
  }
}

package io.artifactserver.storage.local.folder;

import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps a folder to one process, until it is closed or the process ends. Thread-safe. */
public final class FolderLock implements AutoCloseable {
  private static final String FILE = "lock";

  // POSIX gives a process's lock back when the process closes any descriptor of the file, so a
  // second attempt in this process must not even open it.
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path realPath;
  private final FileChannel channel;

  private FolderLock(Path realPath, FileChannel channel) {
    this.realPath = realPath;
    this.channel = channel;
  }

  /** Another process, or this one, has the folder. */
  public static final class InUseException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String holder;

    InUseException(Path folder, String holder) {
      super("another artifact-server (%s) uses %s".formatted(holder, folder));
      this.holder = holder;
    }

    String holder() {
      return holder;
    }
  }

  /**
   * Takes a folder. I/O.
   *
   * @param folder exists
   * @throws InUseException if it is taken
   */
  public static FolderLock take(Path folder) throws IOException {
    Path real = folder.toRealPath();
    if (!HELD.add(real)) {
      throw new InUseException(folder, "in this very process");
    }
    try {
      return new FolderLock(real, lock(folder));
    } catch (IOException | RuntimeException e) {
      HELD.remove(real);
      throw e;
    }
  }

  /** The folder, absolute and without symbolic links. */
  public Path path() {
    return realPath;
  }

  /** May be repeated. */
  @Override
  public synchronized void close() throws IOException {
    if (channel.isOpen()) {
      channel.close();
      HELD.remove(realPath);
    }
  }

  private static FileChannel lock(Path folder) throws IOException {
    FileChannel channel =
        FileChannel.open(
            folder.resolve(FILE),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
            DurableFiles.OWNER_ONLY);
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw new InUseException(folder, "pid " + firstLine(channel));
      }
      channel.truncate(0);
      channel.write(StandardCharsets.US_ASCII.encode(ProcessHandle.current().pid() + "\n"), 0);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static String firstLine(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(32);
    channel.read(bytes, 0);
    String text = StandardCharsets.US_ASCII.decode(bytes.flip()).toString();
    return text.lines().findFirst().orElse("unknown");
  }
}

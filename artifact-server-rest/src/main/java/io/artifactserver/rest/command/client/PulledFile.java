package io.artifactserver.rest.command.client;

import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * A file that is being made: its bytes are in {@code FILE.part}, which only its owner may read,
 * until they are right. While this is open, no other process makes the same file. No link is
 * followed, and no file is written to that another user has put there. Used by one thread.
 */
final class PulledFile implements AutoCloseable {
  private static final String OWNER = "unix:uid";
  private static final String NAMES = "unix:nlink";

  private final Path output;
  private final Path part;
  private final LockFile lock;
  private final FileChannel channel;

  /** The mode of a new file that this user makes here. */
  private final Set<PosixFilePermission> usualMode;

  private PulledFile(
      Path output,
      Path part,
      LockFile lock,
      FileChannel channel,
      Set<PosixFilePermission> usualMode) {
    this.output = output;
    this.part = part;
    this.lock = lock;
    this.channel = channel;
    this.usualMode = usualMode;
  }

  /**
   * Opens the part, which may have bytes of an earlier process. A part without bytes goes when this
   * is closed.
   *
   * @throws ClientException if another process has it, or the part is not this user's own file
   */
  static PulledFile open(Path output) throws ClientException, IOException {
    Path part = output.resolveSibling(output.getFileName() + ".part");
    LockFile lock =
        LockFile.take(beside(part, ".lock"))
            .orElseThrow(
                () -> new ClientException(Reason.FAILED, "another process is fetching " + output));
    boolean isOpen = false;
    try {
      Path probe = beside(part, ".mode");
      Files.deleteIfExists(probe);
      Files.createFile(probe);
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(probe);
      Object owner = Files.getAttribute(probe, OWNER);
      Files.delete(probe);
      PulledFile opened = new PulledFile(output, part, lock, open(part, owner), mode);
      isOpen = true;
      return opened;
    } finally {
      if (!isOpen) {
        lock.close();
      }
    }
  }

  private static FileChannel open(Path part, Object owner) throws ClientException, IOException {
    if (!Files.exists(part, LinkOption.NOFOLLOW_LINKS)) {
      return FileChannel.open(
          part,
          Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
          DurableFiles.OWNER_ONLY);
    }
    if (!Files.isRegularFile(part, LinkOption.NOFOLLOW_LINKS)
        || !owner.equals(Files.getAttribute(part, OWNER, LinkOption.NOFOLLOW_LINKS))
        || !Files.getAttribute(part, NAMES, LinkOption.NOFOLLOW_LINKS).equals(1)) {
      throw new ClientException(
          Reason.FAILED,
          part
              + " is a link, or not a file of this user: remove it, or name another file with -o"
              + " FILE");
    }
    return FileChannel.open(
        part, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  }

  /** The name that the file gets. */
  String name() {
    return String.valueOf(output.getFileName());
  }

  Path part() {
    return part;
  }

  FileChannel channel() {
    return channel;
  }

  /**
   * Gives the bytes their name, and the mode of the file that had it. Not forced to the disk: that
   * takes longer than a fast link, and after a power cut the same command finds out.
   */
  void publish() throws IOException {
    Set<PosixFilePermission> mode =
        Files.exists(output) ? Files.getPosixFilePermissions(output) : usualMode;
    if (!Files.getPosixFilePermissions(part).equals(mode)) {
      Files.setPosixFilePermissions(part, mode);
    }
    DurableFiles.moveUnforced(part, output);
  }

  @Override
  public void close() throws IOException {
    try (lock;
        channel) {
      if (channel.size() == 0) {
        Files.deleteIfExists(part);
      }
    }
  }

  private static Path beside(Path part, String suffix) {
    return part.resolveSibling(part.getFileName() + suffix);
  }
}

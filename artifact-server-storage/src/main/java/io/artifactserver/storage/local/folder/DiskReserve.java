package io.artifactserver.storage.local.folder;

import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room on the disk of the data folder for what must go on when it is full: the embedded database,
 * deletions, a start. Thread-safe.
 *
 * <p>Uploads leave so much free. Against all others who write to the disk there is a file {@code
 * reserve} of the same length: it is deleted when hardly anything is left, and made again when
 * there is room.
 */
public final class DiskReserve implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskReserve.class);
  private static final String FILE = "reserve";
  private static final long MAX_LENGTH = 32L << 20;

  /** The reserve is at most this part of the disk: a small disk must not be half reserve. */
  private static final int SHARE = 20;

  /** With less free than this part of the reserve, the file is given up. */
  private static final int FULL = 4;

  /** With so many times the reserve free, the file is made again. */
  private static final int ROOMY = 2;

  private static final long PAUSE_MILLIS = 500;
  private static final int BUFFER_LENGTH = 1 << 20;

  private final Path file;

  /** Half made. */
  private final Path part;

  private final FileStore disk;
  private final long length;
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("disk-reserve").factory());

  private DiskReserve(Path folder) throws IOException {
    this.file = folder.resolve(FILE);
    this.part = folder.resolve(FILE + ".part");
    this.disk = Files.getFileStore(folder);
    this.length = Math.min(MAX_LENGTH, disk.getTotalSpace() / SHARE);
  }

  /**
   * The reserve of a folder, before anything is written there: given up at once if the disk is
   * full. I/O. Watches the disk only once it is told to.
   */
  static DiskReserve of(Path folder) throws IOException {
    DiskReserve reserve = new DiskReserve(folder);
    reserve.giveUpIfFull();
    return reserve;
  }

  /** Makes the file in the background, and sees to it until the end. */
  void start() {
    var _ = watch.scheduleWithFixedDelay(this::look, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Whether so many bytes more leave the reserve alone. I/O, of microseconds. */
  public boolean hasRoomFor(long bytes) {
    try {
      return disk.getUsableSpace() - bytes >= length;
    } catch (IOException e) {
      // Then writing will tell.
      return true;
    }
  }

  /** In bytes. */
  public long length() {
    return length;
  }

  @Override
  public void close() {
    watch.close();
  }

  private void look() {
    try {
      giveUpIfFull();
      makeIfRoomy();
    } catch (IOException e) {
      LOG.debug("The reserve {} cannot be maintained", file, e);
    }
  }

  private void giveUpIfFull() throws IOException {
    if (disk.getUsableSpace() >= length / FULL) {
      return;
    }
    // A reserve that was not finished because others took the room, or because a server died.
    Files.deleteIfExists(part);
    if (Files.deleteIfExists(file)) {
      LOG.error(
          "The disk of {} is full. Deleted the reserve {}, which leaves {} MiB for the database and"
              + " for deletions. Delete artifacts, or make room.",
          file.getParent(),
          file,
          length >> 20);
    }
  }

  private void makeIfRoomy() throws IOException {
    if (disk.getUsableSpace() < ROOMY * length || Files.exists(file)) {
      return;
    }
    try (FileChannel channel =
        FileChannel.open(
            part,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE))) {
      // Not a hole in a sparse file: it must take the room.
      ByteBuffer zeros = ByteBuffer.allocateDirect(BUFFER_LENGTH);
      for (long left = length; left > 0 && !watch.isShutdown(); ) {
        zeros.clear().limit((int) Math.min(BUFFER_LENGTH, left));
        left -= channel.write(zeros);
      }
    }
    if (watch.isShutdown()) {
      Files.deleteIfExists(part);
    } else {
      DurableFiles.move(part, file);
    }
  }
}

package io.artifactserver.storage.remote.journal;

import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes that an upload has sent since its last checkpoint but one, as the caller may not have
 * kept the last one yet. There is a file for each checkpoint, named after the blob's key and the
 * position of the file's first byte. A journal that fails costs an upload nothing but bytes that a
 * client sends again. Used by one thread.
 */
final class UploadJournal {
  private static final Logger LOGGER = LoggerFactory.getLogger(UploadJournal.class);

  private final Path folder;
  private final String key;

  /** The file that began at the last checkpoint; after a resume, all files of the key. */
  private List<Path> files;

  private @Nullable FileChannel channel;
  private boolean isWarned;

  /**
   * @param isRecoverable whether there may be bytes behind the checkpoint to go on from
   */
  UploadJournal(Path folder, String key, boolean isRecoverable) {
    this.folder = folder;
    this.key = key;
    this.files = isRecoverable ? files() : List.of();
  }

  /** From here on bytes are kept, and those before the last checkpoint are not. */
  void checkpoint(long position) {
    close();
    List<Path> last = files;
    for (Path file : files()) {
      if (!last.contains(file)) {
        delete(file);
      }
    }
    Path next = folder.resolve(key + '.' + position);
    try {
      channel =
          FileChannel.open(
              next,
              Set.of(
                  StandardOpenOption.CREATE,
                  StandardOpenOption.TRUNCATE_EXISTING,
                  StandardOpenOption.WRITE),
              DurableFiles.OWNER_ONLY);
      files = List.of(next);
    } catch (IOException e) {
      warn(e);
    }
  }

  /** Keeps bytes behind a checkpoint; before the first one, does nothing. */
  void append(ByteBuffer bytes) {
    FileChannel to = channel;
    if (to == null) {
      return;
    }
    try {
      while (bytes.hasRemaining()) {
        to.write(bytes);
      }
    } catch (IOException e) {
      // With a gap it would be wrong.
      warn(e);
      close();
    }
  }

  /** Whether all bytes behind the last checkpoint are kept here. */
  boolean isWritten() {
    return channel != null;
  }

  /** Once: on a full disk each checkpoint would say so again. */
  private void warn(IOException failure) {
    if (isWarned) {
      return;
    }
    isWarned = true;
    LOGGER.warn(
        "Upload {} has no journal: if this process dies, what came behind its last checkpoint is lost and comes again",
        key,
        failure);
  }

  /** Returns the bytes from a position on, as far as they are there. */
  ByteBuffer read(long position, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    for (Path file : files) {
      try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
        long offset = position + bytes.position() - begin(file);
        int count = 0;
        while (offset >= 0 && count >= 0 && bytes.hasRemaining()) {
          count = from.read(bytes, offset);
          offset += count;
        }
      }
    }
    return bytes.flip();
  }

  /** Writes no more. What is there stays. */
  void close() {
    FileChannel last = channel;
    channel = null;
    try {
      if (last != null) {
        last.close();
      }
    } catch (IOException e) {
      LOGGER.debug("Closing the journal of upload {}", key, e);
    }
  }

  /** The upload is over, or rests. */
  void delete() {
    close();
    files().forEach(UploadJournal::delete);
  }

  static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOGGER.debug("Leaving {} to the sweeper", file, e);
    }
  }

  private static long begin(Path file) {
    String name = String.valueOf(file.getFileName());
    return Long.parseLong(name.substring(name.indexOf('.') + 1));
  }

  /** In the order of their bytes. */
  private List<Path> files() {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, key + ".*")) {
      all.forEach(found::add);
    } catch (IOException e) {
      LOGGER.debug("The journal of upload {} is not found", key, e);
    }
    found.sort(Comparator.comparingLong(UploadJournal::begin));
    return found;
  }
}

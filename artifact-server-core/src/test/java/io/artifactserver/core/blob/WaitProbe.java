package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds blobs and readers that claim to wait for nothing and wait all the same. Linux tells which
 * files a process has and how much a thread has read of them; elsewhere only waiting for other
 * threads shows.
 */
public final class WaitProbe {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Path MAPPINGS = Path.of("/proc/self/maps");
  private static final Path READ_BY_THREAD = Path.of("/proc/thread-self/io");

  /** Reads are large, so that what this class reads itself does not count. */
  private static final int PIECE_LENGTH = 32 * 1024;

  private WaitProbe() {}

  /**
   * Reads the range of a blob of the same store and length as the one to be probed. Classes are
   * loaded from files, by the thread that needs them first: no read of the probed blob loads one.
   */
  public static void loadClasses(Blob twin, ByteRange range) throws IOException {
    Optional<FileRegion> region = twin.fileRegion(range);
    region.ifPresent(FileRegion::close);
    try (RangeReader reader = twin.open(range)) {
      ByteBuffer piece = ByteBuffer.allocate(PIECE_LENGTH);
      while (reader.read(piece.clear()) >= 0) {
        Wait _ = reader.waitToRead(PIECE_LENGTH);
      }
    }
  }

  /** Opens and reads the range, and fails if a call that said it waits for nothing did wait. */
  public static void requireTruth(Blob blob, ByteRange range) throws IOException {
    Wait said = blob.waitToOpen();
    Set<String> before = files();
    long waits = waits();
    Optional<FileRegion> region = blob.fileRegion(range);
    if (region.isPresent()) {
      try (FileRegion mapped = region.get()) {
        requireTruth(said, before, waits);
        assertThat(mapped.length()).isEqualTo(range.length());
      }
    }
    try (RangeReader reader = blob.open(range)) {
      if (region.isEmpty()) {
        requireTruth(said, before, waits);
      }
      requireTruth(reader);
    }
  }

  private static void requireTruth(Wait said, Set<String> before, long waits) throws IOException {
    if (said == Wait.NONE) {
      assertThat(waits()).as("waits of what said it waits for nothing").isEqualTo(waits);
      Set<String> opened = files();
      opened.removeAll(before);
      assertThat(opened).as("files opened by what said it waits for nothing").isEmpty();
    }
  }

  private static void requireTruth(RangeReader reader) throws IOException {
    ByteBuffer piece = ByteBuffer.allocate(PIECE_LENGTH);
    int length = 0;
    while (length >= 0) {
      Wait said = reader.waitToRead(PIECE_LENGTH);
      long waits = waits();
      long bytes = bytesRead();
      length = reader.read(piece.clear());
      if (said == Wait.NONE) {
        assertThat(bytesRead() - bytes)
            .as("bytes of a file read by what said it waits for nothing")
            .isLessThan(PIECE_LENGTH / 2);
        assertThat(waits()).as("waits of what said it waits for nothing").isEqualTo(waits);
      }
    }
  }

  /** How often this thread has waited for another. */
  private static long waits() {
    ThreadInfo thread =
        ManagementFactory.getThreadMXBean().getThreadInfo(Thread.currentThread().threadId());
    return thread.getWaitedCount() + thread.getBlockedCount();
  }

  /** How many bytes this thread has read from files. */
  private static long bytesRead() throws IOException {
    if (!Files.isReadable(READ_BY_THREAD)) {
      return 0;
    }
    Optional<String> line =
        Files.readAllLines(READ_BY_THREAD).stream()
            .filter(each -> each.startsWith("rchar: "))
            .findFirst();
    return Long.parseLong(line.orElseThrow().substring("rchar: ".length()));
  }

  /** The files that are open or mapped, but those of the JVM itself. */
  private static Set<String> files() throws IOException {
    Set<String> files = new TreeSet<>();
    if (!Files.isDirectory(DESCRIPTORS)) {
      return files;
    }
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
      for (Path descriptor : descriptors) {
        try {
          files.add(Files.readSymbolicLink(descriptor).toString());
        } catch (IOException _) {
          // It was closed in the meantime.
        }
      }
    }
    for (String mapping : Files.readAllLines(MAPPINGS)) {
      int path = mapping.indexOf('/');
      if (path >= 0) {
        files.add(mapping.substring(path));
      }
    }
    String home = System.getProperty("java.home");
    files.removeIf(file ->
        !file.startsWith("/")
            || file.startsWith("/proc/")
            || file.startsWith(home)
            || file.endsWith(".jar")
            || file.contains(".so"));
    return files;
  }
}

package io.artifactserver.storage.local.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFilesTest {
  private static final Duration IDLE = Duration.ofMinutes(5);

  @TempDir private Path folder;
  private final AtomicLong now = new AtomicLong();
  private final AtomicInteger opened = new AtomicInteger();
  private final List<FileChannel> channels = new CopyOnWriteArrayList<>();
  private final MappedFiles files = new MappedFiles(2, IDLE, now::get);

  @AfterEach
  void close() {
    files.close();
  }

  @Test
  void mapsAFileOnce() throws Exception {
    for (int i = 0; i < 10; i++) {
      try (FileRegion region = region("a", new ByteRange(i, 3))) {
        assertThat(region.slice(1, 1).get()).isEqualTo((byte) (i + 1));
      }
    }
    assertThat(opened).hasValue(1);
    assertThat(files.size()).isEqualTo(1);
  }

  @Test
  void theLeastRecentlyUsedGoesFirst() throws Exception {
    for (String key : List.of("a", "b", "a", "c")) {
      now.incrementAndGet();
      region(key, new ByteRange(0, 1)).close();
    }
    assertThat(files.size()).isEqualTo(2);
    region("a", new ByteRange(0, 1)).close();
    assertThat(opened).hasValue(3);
    region("b", new ByteRange(0, 1)).close();
    assertThat(opened).hasValue(4);
  }

  @Test
  void nothingGoesWhileARegionIsOpen() throws Exception {
    List<FileRegion> regions = new ArrayList<>();
    for (String key : List.of("a", "b", "c", "d", "e")) {
      regions.add(region(key, new ByteRange(7, 2)));
    }
    assertThat(files.size()).isEqualTo(5);
    for (FileRegion region : regions) {
      assertThat(region.slice(0, 2).get()).isEqualTo((byte) 7);
      region.close();
      region.close();
    }
    assertThat(files.size()).isEqualTo(2);
  }

  @Test
  void idleMappingsGo() throws Exception {
    region("a", new ByteRange(0, 1)).close();
    try (FileRegion open = region("b", new ByteRange(3, 1))) {
      now.addAndGet(IDLE.toNanos() - 1);
      files.closeIdle();
      assertThat(files.size()).isEqualTo(2);
      now.addAndGet(1);
      files.closeIdle();
      assertThat(files.size()).isEqualTo(1);
      assertThat(open.slice(0, 1).get()).isEqualTo((byte) 3);
    }
    files.closeIdle();
    assertThat(files.size()).as("used just now").isEqualTo(1);
    now.addAndGet(IDLE.toNanos());
    files.closeIdle();
    assertThat(files.size()).isZero();
  }

  @Test
  void theOldestGoesWhenItIsUnusedLongEnough() throws Exception {
    Duration minute = Duration.ofMinutes(1);
    assertThat(files.closeOldest(minute)).isFalse();
    region("a", new ByteRange(0, 1)).close();
    now.addAndGet(1);
    try (FileRegion open = region("b", new ByteRange(3, 1))) {
      now.addAndGet(minute.toNanos() - 2);
      assertThat(files.closeOldest(minute)).isFalse();
      now.addAndGet(1);
      assertThat(files.closeOldest(minute)).isTrue();
      assertThat(files.isMapped("a")).isFalse();
      now.addAndGet(minute.toNanos());
      assertThat(files.closeOldest(minute)).as("in use").isFalse();
      assertThat(open.slice(0, 1).get()).isEqualTo((byte) 3);
    }
  }

  @Test
  void opensNothingForWhoeverWantsWhatIsMapped() throws Exception {
    assertThat(files.mappedRegion("a", new ByteRange(1, 2))).isEmpty();
    region("a", new ByteRange(0, 1)).close();
    try (FileRegion region = files.mappedRegion("a", new ByteRange(1, 2)).orElseThrow()) {
      files.forget("a");
      assertThat(region.slice(1, 1).get()).isEqualTo((byte) 2);
      assertThat(files.mappedRegion("a", new ByteRange(1, 2))).isEmpty();
    }
    assertThat(opened).hasValue(1);
  }

  @Test
  void aForgottenFileStaysForItsOpenRegionsOnly() throws Exception {
    ByteBuffer slice;
    FileRegion first = region("a", new ByteRange(1, 1));
    try (FileRegion second = region("a", new ByteRange(2, 1))) {
      files.forget("a");
      files.forget("a");
      first.close();
      first.close();
      slice = second.slice(0, 1);
      assertThat(slice.get(0)).isEqualTo((byte) 2);
      assertThat(files.size()).isZero();
    }
    assertThatIllegalStateException().isThrownBy(() -> slice.get(0));
  }

  @Test
  void whatIsInUseIsNotForgottenByWhoeverAsksForUnused() throws Exception {
    assertThat(files.forgetUnused("a")).isTrue();
    try (FileRegion open = region("a", new ByteRange(1, 1))) {
      assertThat(files.forgetUnused("a")).isFalse();
      assertThat(files.size()).isEqualTo(1);
      assertThat(open.slice(0, 1).get()).isEqualTo((byte) 1);
    }
    assertThat(files.forgetUnused("a")).isTrue();
    assertThat(files.size()).isZero();
    region("a", new ByteRange(1, 1)).close();
    assertThat(opened).hasValue(2);
  }

  @Test
  void aClosedOneMapsNothing() throws Exception {
    FileRegion open = region("a", new ByteRange(1, 1));
    files.close();
    assertThat(open.slice(0, 1).get()).isEqualTo((byte) 1);
    open.close();
    assertThatIllegalStateException().isThrownBy(() -> region("a", new ByteRange(1, 1)));
    assertThatIllegalStateException().isThrownBy(() -> region("b", new ByteRange(1, 1)));
    assertThat(files.size()).isZero();
  }

  @Test
  void passesOnWhatTheFileSays() {
    StorageException missing =
        new StorageException.BlobNotFound("test", new BlobRef("0".repeat(32), 1), null);
    MappableFile file =
        new MappableFile() {
          @Override
          public FileChannel openForMapping() throws StorageException {
            throw missing;
          }

          @Override
          public StorageException unavailable(IOException cause) {
            throw new AssertionError(cause);
          }
        };
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> files.region("x", ByteRange.whole(1), file))
        .isSameAs(missing);
    assertThat(files.size()).isZero();
  }

  @Test
  void theKernelSendsWhatTheMappingShows() throws Exception {
    try (FileRegion region = region("a", new ByteRange(10, 100))) {
      assertThat(sent(region, 5, 20)).isEqualTo(bytes(15, 20));
      assertThat(sent(region, 0, 100)).isEqualTo(bytes(10, 100));
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> sent(region, 90, 11));
    }
  }

  /** Java closes the file under everybody when one of its senders is interrupted. */
  @Test
  void anInterruptedSenderDoesNotKeepOthersFromSending() throws Exception {
    try (FileRegion region = region("a", new ByteRange(10, 100))) {
      Thread.currentThread().interrupt();
      assertThatExceptionOfType(ClosedByInterruptException.class)
          .isThrownBy(() -> sent(region, 0, 100));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(sent(region, 0, 100)).isEqualTo(bytes(10, 100));
    }
  }

  /** A sparse file has no pages in memory until somebody reads them. */
  @Test
  void loadsWhatIsNotInMemory() throws Exception {
    assumeThat(Files.getFileStore(folder).type()).as("no disk to load from").isNotEqualTo("tmpfs");
    int length = 3_000_001;
    Path sparse = sparseFile("sparse", length);
    try (FileRegion region = files.region("s", ByteRange.whole(length), new CountedFile(sparse))) {
      assertThat(region.isResident(1_000_000, 1_000_000)).isFalse();
      region.load(1_000_000, 1_000_000);
      assertThat(region.isResident(1_000_000, 1_000_000)).isTrue();
      assertThat(region.isResident(0, length)).isFalse();
      region.load(0, length);
      assertThat(region.isResident(0, length)).isTrue();
    }
  }

  @Test
  void loadsThroughTheMappingWhenAnInterruptedThreadClosedTheFile() throws Exception {
    int length = 1_000_000;
    Path sparse = sparseFile("sparse", length);
    try (FileRegion region = files.region("s", ByteRange.whole(length), new CountedFile(sparse))) {
      channels.getFirst().close();
      assertThat(region.isResident(0, length)).isFalse();
      region.load(0, length);
      assertThat(region.isResident(0, length)).isTrue();
    }
  }

  @Test
  void failsWhenTheFileIsShorterThanItWas() throws Exception {
    int length = 1_000_000;
    Path cut = sparseFile("cut", length);
    try (FileRegion region = files.region("s", ByteRange.whole(length), new CountedFile(cut))) {
      try (FileChannel writer = FileChannel.open(cut, StandardOpenOption.WRITE)) {
        writer.truncate(length / 2);
      }
      assertThatExceptionOfType(InternalError.class).isThrownBy(() -> region.load(0, length));
      // 0 would mean that the socket is full, and whoever sends would try again for ever.
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(() -> sent(region, length / 2, length / 2))
          .withMessageContaining("shorter than it was");
    }
  }

  /** Beyond the file's end, its last page reads as zeros. */
  @Test
  void failsWhenTheFileIsAByteShorterAndIsMappedAnewThen() throws Exception {
    int length = 10_000;
    Path cut = sparseFile("cut", length);
    try (FileRegion region = files.region("s", new ByteRange(0, 10), new CountedFile(cut))) {
      region.requireWhole();
      try (FileChannel writer = FileChannel.open(cut, StandardOpenOption.WRITE)) {
        writer.truncate(length - 1);
      }
      assertThat(region.slice(0, 10).get(9)).isZero();
      now.addAndGet(MappedFile.BELIEVED_NANOS - 1);
      region.requireWhole();
      now.incrementAndGet();
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(region::requireWhole)
          .withMessageContaining("shorter than it was");
      assertThat(files.isMapped("s")).isFalse();
    }
    files.region("s", new ByteRange(0, 10), new CountedFile(cut)).close();
    assertThat(channels).hasSize(2);
  }

  @Test
  void aFileThatIsClosedPassesForWhole() throws Exception {
    Path file = sparseFile("file", 10_000);
    try (FileRegion region = files.region("s", new ByteRange(0, 10), new CountedFile(file))) {
      channels.getFirst().close();
      now.addAndGet(MappedFile.BELIEVED_NANOS);
      region.requireWhole();
    }
  }

  /** A client may have as many files sent as it likes, and read none. */
  @Test
  void noMoreFilesStayOpenThanAreKept() throws Exception {
    List<FileRegion> regions = new ArrayList<>();
    for (String key : List.of("a", "b", "c", "d")) {
      regions.add(region(key, new ByteRange(10, 100)));
    }
    assertThat(openChannels()).isEqualTo(2);
    for (FileRegion region : regions) {
      assertThat(sent(region, 5, 20)).isEqualTo(bytes(15, 20));
      region.load(0, 100);
      assertThat(region.isResident(0, 100)).isTrue();
      region.close();
    }
    files.forget("c");
    files.forget("d");
    assertThat(openChannels()).isLessThanOrEqualTo(2);
    region("e", new ByteRange(0, 1)).close();
    assertThat(channels.getLast().isOpen()).isTrue();
  }

  @Test
  void theFileIsOpenAsLongAsTheMapping() throws Exception {
    FileRegion region = region("a", new ByteRange(0, 1));
    assertThat(openChannels()).isEqualTo(1);
    files.forget("a");
    assertThat(openChannels()).isEqualTo(1);
    region.close();
    assertThat(openChannels()).isZero();
  }

  @Test
  void refusesImpossibleBounds() {
    assertThatIllegalArgumentException().isThrownBy(() -> new MappedFiles(0, IDLE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new MappedFiles(1, Duration.ofSeconds(-1)));
  }

  @Test
  void evictionNeverTakesALeasedMapping() throws Exception {
    Callable<Integer> reader =
        () -> {
          for (int i = 0; i < 3000; i++) {
            String key = "k" + (i * 7L + Thread.currentThread().threadId()) % 6;
            try (FileRegion region = region(key, new ByteRange(i % 100, 50))) {
              // Reading an unmapped segment throws.
              if (region.slice(0, 50).get(10) != (byte) (i % 100 + 10)) {
                throw new AssertionError("Wrong byte of " + key);
              }
            }
            if (i % 97 == 0) {
              files.forget(key);
            }
          }
          return 0;
        };
    try (ExecutorService executor = Executors.newFixedThreadPool(6)) {
      List<Future<Integer>> readers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        readers.add(executor.submit(reader));
      }
      for (Future<Integer> one : readers) {
        assertThat(one.get()).isZero();
      }
    }
    assertThat(files.size()).isLessThanOrEqualTo(2);
  }

  /** Through a socket: the kernel sends to nothing else. */
  private static byte[] sent(FileRegion region, long offset, int length) throws IOException {
    try (ServerSocketChannel listener =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketChannel client = SocketChannel.open(listener.getLocalAddress());
        SocketChannel server = listener.accept()) {
      assertThat(region.transferTo(offset, length, server)).isEqualTo(length);
      server.shutdownOutput();
      return client.socket().getInputStream().readAllBytes();
    }
  }

  private static byte[] bytes(int from, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (from + i);
    }
    return bytes;
  }

  private Path sparseFile(String name, int length) throws IOException {
    Path file = folder.resolve(name);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), length - 1);
    }
    return file;
  }

  private long openChannels() {
    return channels.stream().filter(FileChannel::isOpen).count();
  }

  private FileRegion region(String key, ByteRange range) throws StorageException {
    return files.region(key, range, new CountedFile(folder.resolve(key)));
  }

  /** 256 bytes, each its own position. */
  private final class CountedFile implements MappableFile {
    private final Path path;

    CountedFile(Path path) {
      this.path = path;
    }

    @Override
    public FileChannel openForMapping() throws StorageException {
      opened.incrementAndGet();
      try {
        if (!Files.exists(path)) {
          byte[] content = new byte[256];
          for (int i = 0; i < content.length; i++) {
            content[i] = (byte) i;
          }
          Files.write(path, content);
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        channels.add(channel);
        return channel;
      } catch (IOException e) {
        throw unavailable(e);
      }
    }

    @Override
    public StorageException unavailable(IOException cause) {
      return new StorageException.StorageUnavailable("test", String.valueOf(cause), cause);
    }
  }
}

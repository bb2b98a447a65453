package io.artifactserver.storage.local.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

/** A region of a mapped file sends and loads, and fails when the file has changed. */
class MappedRegionTest extends MappedFilesFixture {
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

  private Path sparseFile(String name, int length) throws IOException {
    Path file = folder.resolve(name);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), length - 1);
    }
    return file;
  }
}

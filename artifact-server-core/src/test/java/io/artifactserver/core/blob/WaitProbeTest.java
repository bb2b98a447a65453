package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The probe catches planted lies, and nothing else. */
class WaitProbeTest {
  private static final int LENGTH = 200_000;

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void writeFile() throws IOException {
    file = Files.write(folder.resolve("blob"), new byte[LENGTH]);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void anOpeningOfAFileIsCaught() throws IOException {
    requireCaught(new FileBlob(Wait.NONE, Wait.DISK, () -> {}), "files opened");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aReadOfAFileIsCaught() throws IOException {
    requireCaught(new FileBlob(Wait.DISK, Wait.NONE, () -> {}), "bytes of a file read");
  }

  @Test
  void aWaitForAnotherThreadIsCaught() throws IOException {
    Runnable wait = () -> LockSupport.parkNanos(1_000_000);
    requireCaught(new FileBlob(Wait.DISK, Wait.NONE, wait), "waits for nothing");
  }

  @Test
  void theTruthIsNot() {
    Blob honest = new FileBlob(Wait.DISK, Wait.DISK, () -> LockSupport.parkNanos(1));
    assertThatCode(() -> WaitProbe.requireTruth(honest, ByteRange.whole(LENGTH)))
        .doesNotThrowAnyException();
  }

  private static void requireCaught(Blob liar, String message) throws IOException {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> WaitProbe.requireTruth(liar, ByteRange.whole(LENGTH)))
        .withMessageContaining(message);
  }

  /** Says what it is told to say. */
  private final class FileBlob implements Blob {
    private final Wait open;
    private final Wait read;
    private final Runnable beforeRead;

    private FileBlob(Wait open, Wait read, Runnable beforeRead) {
      this.open = open;
      this.read = read;
      this.beforeRead = beforeRead;
    }

    @Override
    public BlobRef ref() {
      return new BlobRef("0".repeat(32), LENGTH);
    }

    @Override
    public Wait waitToOpen() {
      return open;
    }

    @Override
    public RangeReader open(ByteRange range) throws StorageException {
      try {
        return new Reader(FileChannel.open(file), read, beforeRead);
      } catch (IOException e) {
        throw new StorageException.StorageUnavailable("test", "cannot open", e);
      }
    }

    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) {
      return Optional.empty();
    }
  }

  private record Reader(FileChannel channel, Wait read, Runnable beforeRead)
      implements RangeReader {
    @Override
    public Wait waitToRead(int length) {
      return read;
    }

    @Override
    public int read(ByteBuffer target) throws StorageException {
      beforeRead.run();
      try {
        return channel.read(target);
      } catch (IOException e) {
        throw new StorageException.StorageUnavailable("test", "cannot read", e);
      }
    }

    @Override
    public boolean isOpen() {
      return channel.isOpen();
    }

    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}

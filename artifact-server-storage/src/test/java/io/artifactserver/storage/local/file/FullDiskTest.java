package io.artifactserver.storage.local.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.abort;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreFixture;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system without room, and one that has room again. */
class FullDiskTest extends BlobStoreFixture {
  @TempDir private Path root;
  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private FileBlobStore store;

  @BeforeEach
  void openStore() throws StorageException {
    store = FileBlobStore.open(root, mappedFiles);
  }

  @AfterEach
  void closeMappings() {
    mappedFiles.close();
    assertThat(mappedFiles.size()).isZero();
  }

  @Override
  protected BlobStore store() {
    return store;
  }

  @Test
  void aFullDiskIsFull() throws IOException {
    Path part = root.resolve("uploads").resolve("ab".repeat(16) + ".part");
    try (FileChannel full = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE);
        BlobUpload upload = new FileBlobUpload(store, "ab".repeat(16), part, full)) {
      assertThatExceptionOfType(StorageException.StorageFull.class)
          .isThrownBy(() -> upload.write(ByteBuffer.allocate(100)))
          .withMessageContaining("byte 0")
          .withCauseInstanceOf(IOException.class);
      assertThatExceptionOfType(IllegalStateException.class).isThrownBy(upload::commit);
    }
  }

  @Test
  void aFullFileSystemIsFullAndRecovers() throws Exception {
    Path disk = Files.createDirectory(root.resolve("disk"));
    if (run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk.toString()) != 0) {
      abort(
          "SKIPPED: a full file system was not tried, because this user may not mount a tmpfs;"
              + " aFullDiskIsFull() tries /dev/full");
    }
    try {
      FileBlobStore small = FileBlobStore.open(disk, mappedFiles);
      BlobRef kept;
      try (BlobUpload upload = small.begin()) {
        upload.write(ByteBuffer.wrap(content(1 << 20, 7)));
        kept = upload.commit();
      }
      try (BlobUpload upload = small.begin()) {
        assertThatExceptionOfType(StorageException.StorageFull.class)
            .isThrownBy(() -> upload.write(ByteBuffer.wrap(content(3 << 20, 8))));
      }
      try (BlobUpload upload = small.begin()) {
        upload.write(ByteBuffer.wrap(content(700_000, 9)));
        assertThat(upload.commit().length()).isEqualTo(700_000);
      }
      assertThat(read(small.blob(kept), ByteRange.whole(1 << 20), ByteBuffer.allocate(8192)))
          .isEqualTo(content(1 << 20, 7));
    } finally {
      mappedFiles.close();
      assertThat(run("umount", disk.toString())).isZero();
    }
  }

  /** Giving the reserve up leaves room for its own length alone: nothing may be uploaded. */
  @Test
  void thereIsRoomIfAnUploadOfOneByteFits() throws StorageException {
    assertThat(FileBlobStore.open(root, mappedFiles, bytes -> bytes <= 0).hasRoom()).isFalse();
    assertThat(FileBlobStore.open(root, mappedFiles, bytes -> bytes <= 1).hasRoom()).isTrue();
  }

  private static int run(String... command) throws IOException, InterruptedException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    } catch (IOException _) {
      return -1;
    }
  }
}

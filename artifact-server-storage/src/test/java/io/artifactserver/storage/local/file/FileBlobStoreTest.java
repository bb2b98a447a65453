package io.artifactserver.storage.local.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileBlobStoreTest extends BlobStoreContract {
  private static final long SPARSE_LENGTH = 64L << 20;

  @TempDir private Path root;
  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private FileBlobStore store;
  private int abandoned;

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

  @Override
  protected long unrecovered() {
    return 0;
  }

  @Override
  protected BlobStore restarted() throws StorageException {
    return FileBlobStore.open(root, mappedFiles);
  }

  @Override
  protected long unit() {
    return 4096;
  }

  @Override
  protected boolean supportsSparseBlobs() {
    return true;
  }

  @Override
  protected BlobRef createSparseBlob(long length, long position, byte[] bytes) throws IOException {
    BlobRef empty = store(new byte[0]);
    Path file = file(empty);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), position);
      channel.write(ByteBuffer.allocate(1), length - 1);
    }
    return new BlobRef(empty.key(), length);
  }

  @Override
  protected boolean supportsAbandonedUploads() {
    return true;
  }

  @Override
  protected void abandonUpload(Instant begunAt) throws IOException {
    Path part = root.resolve("uploads").resolve("%032x.part".formatted(++abandoned));
    Files.write(part, new byte[] {1, 2, 3});
    Files.setLastModifiedTime(part, FileTime.from(begunAt));
  }

  /** As a migration that was killed leaves one of the blob that was under way. */
  @Test
  void partOfAProcessThatWasKilledIsReplaced() throws IOException {
    String key = "ab".repeat(16);
    Files.write(root.resolve("uploads").resolve(key + ".part"), content(100, 2));
    byte[] bytes = content(10, 1);
    try (BlobUpload upload = store.begin(key)) {
      assertThatExceptionOfType(StorageException.class).isThrownBy(() -> store.begin(key));
      upload.write(ByteBuffer.wrap(bytes));
      BlobRef blob = upload.commit();
      assertThat(blob).isEqualTo(new BlobRef(key, bytes.length));
      assertThat(Files.readAllBytes(file(blob))).isEqualTo(bytes);
    }
  }

  @Test
  void filesAreTheOwnersAlone() throws IOException {
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content(10, 1)));
      assertThat(modes(root.resolve("uploads"))).containsExactly("rw-------");
      Path file = file(upload.commit());
      Path folder = root;
      for (Path path : root.relativize(file)) {
        folder = folder.resolve(path);
        assertThat(mode(folder)).isEqualTo(folder.equals(file) ? "r--------" : "rwx------");
      }
      assertThat(modes(root.resolve("uploads"))).isEmpty();
    }
  }

  @Test
  void survivesWhatACrashLeavesBehind() throws IOException {
    byte[] content = content(1000, 2);
    BlobRef ref = store(content);
    abandonUpload(Instant.now().minusSeconds(10));
    FileBlobStore restarted = FileBlobStore.open(root, mappedFiles);
    assertThat(restarted.removeAbandonedUploads(Instant.now())).isEqualTo(1);
    assertThat(read(restarted.blob(ref), ByteRange.whole(1000), ByteBuffer.allocate(99)))
        .isEqualTo(content);
  }

  @Test
  void doesNotTakeItsOwnRunningUploadForAbandoned() throws IOException {
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content(10, 3)));
      assertThat(store.removeAbandonedUploads(Instant.now().plusSeconds(3600))).isZero();
      upload.commit();
    }
    assertThat(listed()).hasSize(1);
  }

  @Test
  void ignoresForeignFiles() throws IOException {
    BlobRef ref = store(content(10, 4));
    Path shard = file(ref).resolveSibling("");
    Files.createDirectories(root.resolve("blobs/lost+found"));
    Files.createDirectories(root.resolve("blobs/zz/00"));
    Files.writeString(root.resolve("blobs/README"), "mine");
    String otherShard = ref.key().startsWith("00") ? "01" : "00";
    Files.writeString(root.resolve("blobs").resolve(otherShard), "not a folder");
    Files.writeString(shard.resolve("notes.txt"), "mine");
    Files.createDirectories(shard.resolve(ref.key().substring(0, 4) + "0".repeat(28)));
    Files.writeString(shard.resolve("z".repeat(32)), "no key");
    Files.writeString(root.resolve("uploads/notes.txt"), "mine");
    assertThat(listed()).containsExactly(ref);
    assertThat(store.removeAbandonedUploads(Instant.now().plusSeconds(60))).isZero();
  }

  @Test
  void aTruncatedFileIsCorrupt() throws IOException {
    BlobRef ref = store(content(1000, 5));
    resize(ref, 999);
    assertCorrupt(ref, "999 bytes, not 1000");
    resize(ref, 0);
    assertCorrupt(ref, "0 bytes, not 1000");
  }

  @Test
  void aReaderNoticesAFileThatShrinks() throws IOException {
    BlobRef ref = store(content(10_000, 6));
    try (RangeReader reader = store.blob(ref).open(ByteRange.whole(10_000))) {
      assertThat(reader.read(ByteBuffer.allocate(100))).isEqualTo(100);
      resize(ref, 150);
      assertThat(reader.read(ByteBuffer.allocate(100))).isEqualTo(50);
      assertThatExceptionOfType(StorageException.BlobCorrupt.class)
          .isThrownBy(() -> reader.read(ByteBuffer.allocate(100)))
          .withMessageContaining(ref.key())
          .withMessageContaining("ends at byte 150");
    }
  }

  @Test
  void checkSaysWhatIsWrong() throws IOException {
    Files.delete(root.resolve("uploads"));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(store::check)
        .withMessageContaining(root.toString());
    assertThatExceptionOfType(StorageException.StorageUnavailable.class).isThrownBy(store::begin);
  }

  @Test
  void refusesAFolderThatIsAFile() throws IOException {
    Path other = Files.createDirectory(root.resolve("other"));
    Files.writeString(other.resolve("blobs"), "a file");
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> FileBlobStore.open(other, mappedFiles))
        .withMessageContaining("blobs");
  }

  @Test
  void leaksNoDescriptors() throws IOException {
    BlobRef ref = store(content(10_000, 10));
    BlobRef missing = new BlobRef("f".repeat(32), 10);
    BlobRef damaged = store(content(10, 11));
    resize(damaged, 5);
    long before = openDescriptors();
    for (int i = 0; i < 1000; i++) {
      try (RangeReader reader = store.blob(ref).open(new ByteRange(i, 100))) {
        assertThat(reader.read(ByteBuffer.allocate(10))).isEqualTo(10);
      }
      try (FileRegion region = store.blob(ref).fileRegion(new ByteRange(i, 100)).orElseThrow()) {
        assertThat(region.length()).isEqualTo(100);
      }
      mappedFiles.forget(ref.key());
      try (BlobUpload upload = store.begin()) {
        upload.write(ByteBuffer.allocate(10));
      }
      for (BlobRef wrong : List.of(missing, damaged)) {
        assertThatExceptionOfType(StorageException.class)
            .isThrownBy(() -> store.blob(wrong).open(ByteRange.whole(10)).close());
        assertThatExceptionOfType(StorageException.class)
            .isThrownBy(() -> store.blob(wrong).fileRegion(ByteRange.whole(10)));
      }
    }
    // Other threads of this JVM open a class file or two; a leak here would be a thousand.
    assertThat(openDescriptors()).isLessThan(before + 50);
  }

  @Test
  void aWarmRegionAllocatesLittleWhateverItsLength() throws IOException {
    BlobRef ref = createSparseBlob(SPARSE_LENGTH, 0, new byte[] {1});
    long small = allocatedPerRegion(ref, 4096);
    long large = allocatedPerRegion(ref, SPARSE_LENGTH);
    // Blob, path-free lookup, lease, Optional, segment and buffer: 300 bytes without escape
    // analysis, which has not run yet.
    assertThat(small).isLessThan(1000);
    assertThat(large).isLessThan(1000);
  }

  @Test
  void readersNeverSeeOtherBytesWhileBlobsAreDeleted() throws Exception {
    byte[] content = content(20_000, 12);
    for (int round = 0; round < 20; round++) {
      BlobRef ref = store(content);
      try (ExecutorService executor = Executors.newFixedThreadPool(5)) {
        List<Future<Integer>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          boolean byRegion = i % 2 == 0;
          readers.add(executor.submit(() -> readUntilDeleted(ref, content, byRegion)));
        }
        Future<?> deletion =
            executor.submit(() -> {
              store.delete(ref);
              return true;
            });
        deletion.get();
        for (Future<Integer> reader : readers) {
          assertThat(reader.get()).isNotNegative();
        }
      }
      assertThat(mappedFiles.size()).isZero();
    }
  }

  private int readUntilDeleted(BlobRef ref, byte[] content, boolean byRegion) throws IOException {
    Blob blob = store.blob(ref);
    ByteRange range = new ByteRange(5000, 10_000);
    ByteBuffer expected = ByteBuffer.wrap(content, 5000, 10_000);
    int reads = 0;
    try {
      while (true) {
        if (byRegion) {
          try (FileRegion region = blob.fileRegion(range).orElseThrow()) {
            assertThat(region.slice(0, 10_000).equals(expected)).isTrue();
          }
        } else {
          assertThat(ByteBuffer.wrap(read(blob, range, ByteBuffer.allocate(4096))).equals(expected))
              .isTrue();
        }
        reads++;
      }
    } catch (StorageException.BlobNotFound _) {
      return reads;
    }
  }

  private long allocatedPerRegion(BlobRef ref, long length) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ByteRange range = ByteRange.whole(length);
    int count = 2000;
    long before = 0;
    for (int i = -count; i < count; i++) {
      if (i == 0) {
        before = threads.getCurrentThreadAllocatedBytes();
      }
      try (FileRegion region = store.blob(ref).fileRegion(range).orElseThrow()) {
        if (region.slice(0, (int) length).get(0) != 1) {
          throw new AssertionError("Wrong byte");
        }
      }
    }
    return (threads.getCurrentThreadAllocatedBytes() - before) / count;
  }

  private void assertCorrupt(BlobRef ref, String detail) {
    assertThatExceptionOfType(StorageException.BlobCorrupt.class)
        .isThrownBy(() -> store.blob(ref).open(new ByteRange(0, 1)).close())
        .withMessageContaining(detail);
    assertThatExceptionOfType(StorageException.BlobCorrupt.class)
        .isThrownBy(() -> store.blob(ref).fileRegion(new ByteRange(0, 1)))
        .withMessageContaining(detail);
  }

  private void resize(BlobRef ref, long length) throws IOException {
    Files.setPosixFilePermissions(file(ref), PosixFilePermissions.fromString("rw-------"));
    try (FileChannel channel = FileChannel.open(file(ref), StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }

  private Path file(BlobRef ref) {
    return store.path(ref.key());
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static Set<String> modes(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<String> modes = new ArrayList<>();
      for (Path file : files.toList()) {
        modes.add(mode(file));
      }
      return Set.copyOf(modes);
    }
  }

  private static long openDescriptors() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.count();
    }
  }
}

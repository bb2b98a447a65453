package io.artifactserver.storage.encrypted;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.file.FileBlobStore;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EncryptedFileBlobStoreTest extends BlobStoreContract {
  @TempDir private Path root;
  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private final InMemoryDataKeyStore dataKeys = new InMemoryDataKeyStore();
  private final KeyRing ring = KeyRing.ephemeral();
  private EncryptedBlobStore store;
  private int abandoned;

  @BeforeEach
  void openStore() throws StorageException {
    store = restarted();
  }

  @Override
  protected long unrecovered() {
    return 64 * 1024;
  }

  @Override
  protected EncryptedBlobStore restarted() throws StorageException {
    return new EncryptedBlobStore(FileBlobStore.open(root, mappedFiles), dataKeys, ring, 64 * 1024);
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
  protected boolean supportsFileRegions() {
    return false;
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

  @Test
  void aWarmRangeIsReadWithoutTheDatabase() throws Exception {
    byte[] content = content(300_000, 1);
    BlobRef ref = store(content);
    ByteRange range = new ByteRange(100_000, 131_072);
    byte[] expected = Arrays.copyOfRange(content, 100_000, 231_072);
    assertThat(read(store.blob(ref), range, ByteBuffer.allocate(8192))).isEqualTo(expected);
    dataKeys.delete(ref.key());
    assertThat(read(store.blob(ref), range, ByteBuffer.allocate(8192))).isEqualTo(expected);
    store.delete(ref);
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> store.blob(ref).open(range).close());
  }

  /**
   * The first reader learns that something is wrong, the next one that the blob is damaged.
   * Repeated until the code is compiled: the fault then shows only while the bytes are decrypted.
   */
  @RepeatedTest(12)
  void aMappedFileThatBecomesShorterIsDamage() throws Exception {
    byte[] content = content(300_000, 3);
    BlobRef ref = store(content);
    ByteRange range = new ByteRange(250_000, 1_000);
    byte[] expected = Arrays.copyOfRange(content, 250_000, 251_000);
    assertThat(read(store.blob(ref), range, ByteBuffer.allocate(8192))).isEqualTo(expected);
    for (int i = 0; i < 5_000; i++) {
      assertThat(read(store.blob(ref), range, ByteBuffer.allocate(8192))).isEqualTo(expected);
    }
    try (Stream<Path> files = Files.walk(root.resolve("blobs"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.truncate(150_000);
        }
      }
    }
    eventually(
        "it is damaged",
        () -> {
          try {
            assertThat(read(store.blob(ref), range, ByteBuffer.allocate(8192))).isEqualTo(expected);
            return false;
          } catch (StorageException.StorageUnavailable e) {
            return false;
          } catch (StorageException.BlobCorrupt e) {
            return true;
          }
        });
  }

  /** As for a slow client: a few bytes at a time, and the reader's memory given up in between. */
  @Test
  void readerThatRestsDeliversTheSameBytes() throws Exception {
    byte[] content = content(300_000, 2);
    BlobRef ref = store(content);
    ByteRange range = new ByteRange(60_000, 200_001);
    ByteBuffer delivered = ByteBuffer.allocate((int) range.length());
    ByteBuffer few = ByteBuffer.allocate(7_777);
    try (RangeReader reader = store.blob(ref).open(range)) {
      reader.rest();
      while (reader.read(few.clear()) >= 0) {
        reader.rest();
        reader.rest();
        delivered.put(few.flip());
        assertThat(reader.waitToRead(few.capacity())).as("just written").isEqualTo(Wait.NONE);
      }
    }
    assertThat(delivered.array()).isEqualTo(Arrays.copyOfRange(content, 60_000, 260_001));
  }

  @Test
  void blobWaitsForNothingWhileItsKeyIsRememberedAndItsFileMapped() throws Exception {
    BlobRef ref = store(content(300_000, 4));
    assertThat(store.blob(ref).waitToOpen()).isEqualTo(Wait.DISK);
    store.blob(ref).open(new ByteRange(0, 1)).close();
    assertThat(store.blob(ref).waitToOpen()).isEqualTo(Wait.NONE);
    store.delete(ref);
    assertThat(store.blob(ref).waitToOpen()).isNotEqualTo(Wait.NONE);
  }

  /** Two plaintexts under one nonce would give both away. */
  @Test
  void noOtherBytesAreEncryptedInThePlaceOfThoseThatMayBeWritten() throws Exception {
    byte[] content = content(300_000, 5);
    byte[] other = content.clone();
    other[70_000] ^= 1;
    try (BlobUpload killed = store.begin()) {
      killed.write(ByteBuffer.wrap(content, 0, 50_000));
      UploadCheckpoint checkpoint =
          new UploadCheckpoint(killed.key(), 50_000, killed.checkpoint(), true);
      killed.write(ByteBuffer.wrap(content, 50_000, 200_000));
      assertThatExceptionOfType(StorageException.BlobCorrupt.class)
          .isThrownBy(() -> finish(restarted(), checkpoint, other))
          .withMessageContaining("other bytes than before");
    }
  }

  @Test
  void theSameBytesAreEncryptedInThePlaceOfThoseThatMayBeWritten() throws Exception {
    byte[] content = content(300_000, 6);
    try (BlobUpload killed = store.begin()) {
      killed.write(ByteBuffer.wrap(content, 0, 50_000));
      UploadCheckpoint checkpoint =
          new UploadCheckpoint(killed.key(), 50_000, killed.checkpoint(), true);
      killed.write(ByteBuffer.wrap(content, 50_000, 200_000));
      BlobRef ref = finish(restarted(), checkpoint, content);
      assertThat(read(store.blob(ref), ByteRange.whole(300_000), ByteBuffer.allocate(8192)))
          .isEqualTo(content);
    }
  }

  @Test
  void noPlainByteIsInACheckpoint() throws Exception {
    byte[] marker = "KNOWN-PLAINTEXT-".getBytes(StandardCharsets.US_ASCII);
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(marker));
      assertThat(new String(upload.checkpoint(), StandardCharsets.ISO_8859_1))
          .doesNotContain("PLAIN");
    }
  }

  @Test
  void noPlainByteReachesTheDisk() throws Exception {
    byte[] marker = "KNOWN-PLAINTEXT-".getBytes(StandardCharsets.US_ASCII);
    byte[] content = new byte[256 * 1024];
    for (int i = 0; i < content.length; i++) {
      content[i] = marker[i % marker.length];
    }
    store(content);
    BlobUpload abandonedUpload = store.begin();
    abandonedUpload.write(ByteBuffer.wrap(content));
    // As a crash leaves it: neither committed nor closed.
    assertThat(filesWith(marker)).isEmpty();
    abandonedUpload.close();
    assertThat(filesWith(marker)).isEmpty();
  }

  private List<Path> filesWith(byte[] marker) throws IOException {
    String needle = new String(marker, StandardCharsets.ISO_8859_1);
    try (Stream<Path> files = Files.walk(root)) {
      List<Path> found = new ArrayList<>();
      int regular = 0;
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        regular++;
        String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        if (text.contains(needle.substring(0, 8))) {
          found.add(file);
        }
      }
      assertThat(regular).isPositive();
      return found;
    }
  }
}

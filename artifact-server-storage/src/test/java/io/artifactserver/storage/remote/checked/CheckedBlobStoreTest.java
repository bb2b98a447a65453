package io.artifactserver.storage.remote.checked;

import static io.artifactserver.core.digest.DigestAlgorithm.SHA_256;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.ChecksumBackfill;
import io.artifactserver.core.blob.InMemoryBlobChecksums;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.remote.journal.UploadJournals;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckedBlobStoreTest extends BlobStoreContract {
  private Instant now = Instant.now();
  private final InMemoryBlobStore memory = new InMemoryBlobStore(() -> now);
  private final InMemoryBlobChecksums checksums = new InMemoryBlobChecksums();

  @TempDir private Path journals;

  private CheckedBlobStore store;

  @BeforeEach
  void open() throws StorageException {
    store = new CheckedBlobStore(memory, checksums, UploadJournals.in(journals));
  }

  @Override
  protected BlobStore store() {
    return store;
  }

  @Override
  protected BlobStore restarted() throws StorageException {
    return new CheckedBlobStore(memory, checksums, UploadJournals.in(journals));
  }

  @Override
  protected long unrecovered() {
    return 0;
  }

  @Override
  protected long unit() {
    return Blocks.LENGTH;
  }

  @Override
  protected boolean supportsAbandonedUploads() {
    return true;
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker")
  protected void abandonUpload(Instant begunAt) throws StorageException {
    Instant before = now;
    now = begunAt;
    memory.begin();
    now = before;
  }

  /** The checkpoint before may be the one that the catalog has. */
  @Test
  void aJournalStaysUntilTheRestOfItsUploadIsKept() throws Exception {
    byte[] content = content(5_000, 41);
    String key;
    UploadCheckpoint first;
    try (BlobUpload upload = store.begin()) {
      key = upload.key();
      upload.write(ByteBuffer.wrap(content, 0, 1_000));
      first = new UploadCheckpoint(key, 1_000, upload.checkpointAndGoOn(), false);
      upload.write(ByteBuffer.wrap(content, 1_000, 1_000));
      byte[] _ = upload.checkpointAndGoOn();
      upload.write(ByteBuffer.wrap(content, 2_000, 1_000));
      byte[] _ = upload.checkpoint();
      upload.leave();
    }
    assertThat(recovered(first)).isEqualTo(Arrays.copyOfRange(content, 1_000, 3_000));
    try (BlobUpload upload = restarted().resume(first)) {
      byte[] _ = upload.checkpoint();
      upload.kept();
      upload.leave();
    }
    assertThat(journals).isEmptyDirectory();
    assertThat(recovered(first)).isEmpty();
  }

  @Test
  void aJournalGoesWithItsUpload() throws Exception {
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.allocate(1_000));
      byte[] _ = upload.checkpointAndGoOn();
      upload.write(ByteBuffer.allocate(1_000));
      assertThat(store.removeAbandonedUploads(Instant.EPOCH, Set.of(upload.key()))).isZero();
      assertThat(journals).isNotEmptyDirectory();
      assertThat(store.removeAbandonedUploads(Instant.EPOCH, Set.of())).isZero();
      assertThat(journals).isEmptyDirectory();
      byte[] _ = upload.checkpointAndGoOn();
      upload.write(ByteBuffer.allocate(1_000));
    }
    assertThat(journals).isEmptyDirectory();
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.allocate(1_000));
      byte[] _ = upload.checkpointAndGoOn();
      upload.write(ByteBuffer.allocate(1_000));
      BlobRef _ = upload.commit();
    }
    assertThat(journals).isEmptyDirectory();
  }

  private byte[] recovered(UploadCheckpoint checkpoint) throws StorageException {
    ByteArrayOutputStream recovered = new ByteArrayOutputStream();
    try (BlobUpload upload = restarted().resume(checkpoint)) {
      upload.recover(
          1,
          bytes -> {
            recovered.write(
                bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            return bytes.remaining();
          });
      upload.leave();
    }
    return recovered.toByteArray();
  }

  @Test
  void aByteThatChangedInTheStoreIsNotDelivered() throws Exception {
    byte[] content = content(3 * Blocks.LENGTH + 17, 1);
    BlobRef ref = store(content);
    byte[] damaged = content.clone();
    damaged[Blocks.LENGTH + 5] ^= 1;
    memory.replace(ref.key(), damaged);
    byte[] first = Arrays.copyOf(content, Blocks.LENGTH);
    assertThat(read(store.blob(ref), new ByteRange(0, Blocks.LENGTH), ByteBuffer.allocate(1000)))
        .isEqualTo(first);
    for (ByteRange range :
        new ByteRange[] {
          new ByteRange(0, content.length),
          new ByteRange(Blocks.LENGTH, 1),
          new ByteRange(2 * Blocks.LENGTH - 1, 2)
        }) {
      assertThatExceptionOfType(StorageException.BlobCorrupt.class)
          .isThrownBy(() -> read(store.blob(ref), range, ByteBuffer.allocate(100_000)))
          .withMessageContaining("bytes 65536 to 131072 do not have their checksum");
    }
  }

  @Test
  void aBlobOfBeforeIsReadAsItIs() throws Exception {
    BlobRef ref;
    byte[] content = content(Blocks.LENGTH + 1, 2);
    try (BlobUpload upload = memory.begin()) {
      upload.write(ByteBuffer.wrap(content));
      ref = upload.commit();
    }
    assertThat(read(store.blob(ref), ByteRange.whole(content.length), ByteBuffer.allocate(999)))
        .isEqualTo(content);
  }

  @Test
  void aBlobOfBeforeGetsChecksumsOnceItsBytesAreKnownToBeRight() throws Exception {
    byte[] content = content(2 * Blocks.LENGTH + 1, 5);
    BlobRef ref;
    BlobRef damaged;
    try (BlobUpload upload = memory.begin();
        BlobUpload other = memory.begin()) {
      upload.write(ByteBuffer.wrap(content));
      ref = upload.commit();
      other.write(ByteBuffer.wrap(content));
      damaged = other.commit();
    }
    read(store.blob(ref), ByteRange.whole(content.length), ByteBuffer.allocate(999));
    Digest sha256 = Digest.of(SHA_256, SHA_256.newMessageDigest().digest(content));
    checksums.know(ref, sha256);
    checksums.know(damaged, sha256);
    byte[] wrong = content.clone();
    wrong[7] ^= 1;
    memory.replace(damaged.key(), wrong);
    BlobRegister register = new InMemoryArtifactCatalog(() -> now);
    ChecksumBackfill backfill = new CheckedBackfill(store, checksums, register, store);
    assertThat(backfill.run()).isEqualTo(new ChecksumBackfill.Run(1, 1));
    assertThat(register.suspects(List.of(ref.key(), damaged.key()))).containsExactly(damaged.key());
    assertThat(checksums.find(damaged.key())).isEmpty();
    memory.replace(ref.key(), wrong);
    assertThatExceptionOfType(StorageException.BlobCorrupt.class)
        .isThrownBy(() -> read(store.blob(ref), new ByteRange(0, 10), ByteBuffer.allocate(10)));
  }

  @Test
  void checksumsGoWithTheirBlob() throws Exception {
    BlobRef ref = store(content(10, 3));
    assertThat(checksums.find(ref.key())).hasValueSatisfying(sums -> assertThat(sums).hasSize(4));
    store.delete(ref);
    assertThat(checksums.find(ref.key())).isEmpty();
  }
}

package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.range.ByteRange;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The part of {@link BlobStoreContract} that is about uploads over several tries. */
abstract class ResumedUploadContract extends FileRegionContract {
  @Test
  void anUploadThatWasLeftGoesOn() throws StorageException {
    int unit = (int) unit();
    byte[] content = content(2 * unit + 77, 31);
    for (int position : new int[] {0, 1, unit - 1, unit, unit + 1, 2 * unit, content.length}) {
      UploadCheckpoint checkpoint = left(content, position);
      assertThat(listed()).isEmpty();
      BlobRef ref = finish(store(), checkpoint, content);
      assertThat(ref.key()).isEqualTo(checkpoint.key());
      assertThat(ref.length()).isEqualTo(content.length);
      assertBytes(readWhole(ref), content, ByteRange.whole(content.length));
      store().delete(ref);
    }
  }

  @Test
  void anUploadGoesOnAsOftenAsItIsLeft() throws StorageException {
    byte[] content = content((int) unit() * 3 + 5, 32);
    int step = (int) unit() / 3 + 1;
    UploadCheckpoint checkpoint = left(content, 0);
    for (int position = 0; position < content.length; position += step) {
      try (BlobUpload upload = store().resume(checkpoint)) {
        assertThat(upload.key()).isEqualTo(checkpoint.key());
        int length = Math.min(step, content.length - position);
        upload.write(ByteBuffer.wrap(content, position, length));
        checkpoint = checkpoint(upload, position + length);
        upload.leave();
      }
    }
    BlobRef ref = finish(store(), checkpoint, content);
    assertBytes(readWhole(ref), content, ByteRange.whole(content.length));
  }

  @Test
  void theEmptyBlobGoesOn() throws StorageException {
    BlobRef ref = finish(store(), left(new byte[0], 0), new byte[0]);
    assertThat(ref.length()).isZero();
    assertThat(listed()).containsExactly(ref);
  }

  @Test
  void aCheckpointIsThereWhenItsProcessWasKilled() throws StorageException {
    int unit = (int) unit();
    byte[] content = content(3 * unit + 9, 33);
    for (int position : new int[] {1, unit, 2 * unit + 1}) {
      try (BlobUpload killed = store().begin()) {
        killed.write(ByteBuffer.wrap(content, 0, position));
        UploadCheckpoint checkpoint = checkpoint(killed, position);
        killed.write(ByteBuffer.wrap(content, position, unit));
        BlobStore other = restarted();
        assumeTrue(!other.equals(store()), "This store's test cannot restart it");
        BlobRef ref = finish(other, checkpoint, content);
        assertThat(
                read(other.blob(ref), ByteRange.whole(content.length), ByteBuffer.allocate(8192)))
            .isEqualTo(content);
        other.delete(ref);
      }
    }
  }

  @Test
  void whatADeadProcessWroteBehindACheckpointIsRecovered() throws StorageException {
    int unit = (int) unit();
    byte[] content = content(5 * unit + 9, 39);
    for (boolean mustRepeat : new boolean[] {false, true}) {
      for (int position : new int[] {1, unit, 2 * unit + 1}) {
        try (BlobUpload killed = store().begin()) {
          killed.write(ByteBuffer.wrap(content, 0, position));
          UploadCheckpoint checkpoint =
              new UploadCheckpoint(killed.key(), position, killed.checkpointAndGoOn(), mustRepeat);
          killed.write(ByteBuffer.wrap(content, position, 2 * unit + 7));
          BlobStore other = restarted();
          assumeTrue(!other.equals(store()), "This store's test cannot restart it");
          ByteArrayOutputStream recovered = new ByteArrayOutputStream();
          try (BlobUpload upload = other.resume(checkpoint)) {
            upload.recover(
                1,
                bytes -> {
                  byte[] piece = new byte[bytes.remaining()];
                  bytes.duplicate().get(piece);
                  recovered.writeBytes(piece);
                  return piece.length;
                });
            int end = position + recovered.size();
            assertThat((long) end)
                .isBetween(position + 2L * unit + 7 - unrecovered(), position + 2L * unit + 7);
            assertThat(recovered.toByteArray())
                .isEqualTo(Arrays.copyOfRange(content, position, end));
            upload.write(ByteBuffer.wrap(content, end, content.length - end));
            BlobRef ref = upload.commit();
            assertThat(
                    read(
                        other.blob(ref),
                        ByteRange.whole(content.length),
                        ByteBuffer.allocate(8192)))
                .isEqualTo(content);
            other.delete(ref);
          }
        }
      }
    }
  }

  /** A checkpoint of an upload that rests says that nothing comes behind it. */
  @Test
  void whatIsBehindAnOrdinaryCheckpointIsNotRecovered() throws StorageException {
    int unit = (int) unit();
    byte[] content = content(3 * unit, 40);
    try (BlobUpload killed = store().begin()) {
      killed.write(ByteBuffer.wrap(content, 0, unit));
      UploadCheckpoint checkpoint = checkpoint(killed, unit);
      killed.write(ByteBuffer.wrap(content, unit, 2 * unit));
      BlobStore other = restarted();
      assumeTrue(!other.equals(store()), "This store's test cannot restart it");
      try (BlobUpload upload = other.resume(checkpoint)) {
        upload.recover(
            1,
            _ -> {
              throw new AssertionError("recovered");
            });
      }
    }
  }

  @Test
  void anUploadIsAbandonedUnlessItMayBeResumed() throws StorageException {
    byte[] content = content((int) unit() + 9, 34);
    Instant later = Instant.now().plus(Duration.ofDays(1));
    UploadCheckpoint checkpoint = left(content, content.length - 1);
    assertThat(store().removeAbandonedUploads(later, Set.of(checkpoint.key()))).isZero();
    store().resume(checkpoint).leave();
    assertThat(store().removeAbandonedUploads(later)).isEqualTo(1);
    assertThat(store().removeAbandonedUploads(later)).isZero();
    assertThatExceptionOfType(StorageException.BlobLost.class)
        .isThrownBy(() -> store().resume(checkpoint).close());
  }

  @Test
  void nothingIsLeftOfAnUploadThatIsDiscarded() throws StorageException {
    byte[] content = content((int) unit() + 9, 35);
    UploadCheckpoint checkpoint = left(content, content.length - 1);
    store().discard(checkpoint);
    store().discard(checkpoint);
    assertGone(checkpoint);
  }

  @Test
  void nothingIsLeftOfAnUploadThatIsClosed() throws StorageException {
    byte[] content = content((int) unit() + 9, 36);
    UploadCheckpoint checkpoint;
    try (BlobUpload upload = store().begin()) {
      upload.write(ByteBuffer.wrap(content));
      checkpoint = checkpoint(upload, content.length);
    }
    assertGone(checkpoint);
    UploadCheckpoint resumed = left(content, content.length - 1);
    store().resume(resumed).close();
    assertGone(resumed);
    BlobUpload none = store().begin();
    none.write(ByteBuffer.wrap(content));
    none.leave();
    none.close();
    assertThat(store().removeAbandonedUploads(Instant.now().plus(Duration.ofDays(1)))).isZero();
  }

  @Test
  void anUploadThatWasLeftIsOver() throws StorageException {
    BlobUpload upload = store().begin();
    upload.write(ByteBuffer.wrap(content(10, 37)));
    UploadCheckpoint checkpoint = checkpoint(upload, 10);
    upload.leave();
    upload.leave();
    upload.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> upload.write(ByteBuffer.wrap(new byte[] {1})));
    assertThatIllegalStateException().isThrownBy(upload::checkpoint);
    assertThatIllegalStateException().isThrownBy(upload::commit);
    store().resume(checkpoint).close();
  }

  @Test
  void aCommittedBlobStaysWhenItsUploadIsDiscarded() throws StorageException {
    byte[] content = content((int) unit() + 9, 38);
    UploadCheckpoint checkpoint = left(content, content.length);
    BlobRef ref = finish(store(), checkpoint, content);
    store().discard(checkpoint);
    assertBytes(readWhole(ref), content, ByteRange.whole(content.length));
    assertThat(store().removeAbandonedUploads(Instant.now().plus(Duration.ofDays(1)))).isZero();
    assertThatExceptionOfType(StorageException.BlobLost.class)
        .isThrownBy(() -> store().resume(checkpoint).close());
  }

  /** Most bytes behind a checkpoint that do not survive their process. */
  protected long unrecovered() {
    return Integer.MAX_VALUE;
  }

  /** An upload with the first bytes of a content, at rest. */
  protected final UploadCheckpoint left(byte[] content, int length) throws StorageException {
    try (BlobUpload upload = store().begin()) {
      upload.write(ByteBuffer.wrap(content, 0, length));
      UploadCheckpoint checkpoint = checkpoint(upload, length);
      upload.leave();
      return checkpoint;
    }
  }

  /** Sends what is missing. */
  protected static BlobRef finish(BlobStore store, UploadCheckpoint checkpoint, byte[] content)
      throws StorageException {
    try (BlobUpload upload = store.resume(checkpoint)) {
      upload.write(
          ByteBuffer.wrap(Arrays.copyOfRange(content, (int) checkpoint.length(), content.length)));
      return upload.commit();
    }
  }

  protected static UploadCheckpoint checkpoint(BlobUpload upload, long length)
      throws StorageException {
    return new UploadCheckpoint(upload.key(), length, upload.checkpoint(), false);
  }

  private void assertGone(UploadCheckpoint checkpoint) throws StorageException {
    assertThatExceptionOfType(StorageException.BlobLost.class)
        .isThrownBy(() -> store().resume(checkpoint).close());
    assertThat(store().removeAbandonedUploads(Instant.now().plus(Duration.ofDays(1)))).isZero();
    assertThat(listed()).isEmpty();
  }
}

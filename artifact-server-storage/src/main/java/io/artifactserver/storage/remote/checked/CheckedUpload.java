package io.artifactserver.storage.remote.checked;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import java.nio.ByteBuffer;

/** Records checksums on the way to the remote store. Used by one thread. */
final class CheckedUpload implements BlobUpload {
  private final BlobUpload upload;
  private final KnownChecksums checksums;
  private final String storeName;
  private final Blocks.Summing summing;

  /** Takes over the upload. */
  CheckedUpload(BlobUpload upload, KnownChecksums checksums, String storeName) {
    this(upload, checksums, storeName, new Blocks.Summing());
  }

  /** Takes over the upload, and the checksums of the bytes that it has. */
  CheckedUpload(
      BlobUpload upload, KnownChecksums checksums, String storeName, Blocks.Summing summing) {
    this.upload = upload;
    this.checksums = checksums;
    this.storeName = storeName;
    this.summing = summing;
  }

  @Override
  public String key() {
    return upload.key();
  }

  @Override
  public void write(ByteBuffer bytes) throws StorageException {
    ByteBuffer same = bytes.duplicate();
    upload.write(bytes);
    summing.add(same);
  }

  /** The blob goes first: a commit that fails must not touch the checksums of another one. */
  @Override
  public BlobRef commit() throws StorageException {
    BlobRef ref = upload.commit();
    try {
      checksums.put(key(), summing.finish());
    } catch (CatalogUnavailableException e) {
      // Nobody learns of the blob, so it is an orphan now, and the sweeper's.
      throw CheckedBlobStore.unavailable(storeName, e);
    }
    return ref;
  }

  @Override
  public byte[] checkpoint() throws StorageException {
    return withSums(upload.checkpoint());
  }

  @Override
  public byte[] checkpointAndGoOn() throws StorageException {
    return withSums(upload.checkpointAndGoOn());
  }

  @Override
  public void recover(int unit, Recovered recovered) throws StorageException {
    upload.recover(
        unit,
        bytes -> {
          int taken = recovered.take(bytes);
          summing.add(bytes.slice(bytes.position(), taken));
          return taken;
        });
  }

  private byte[] withSums(byte[] remote) {
    byte[] sums = summing.save();
    return ByteBuffer.allocate(Integer.BYTES + sums.length + remote.length)
        .putInt(sums.length)
        .put(sums)
        .put(remote)
        .array();
  }

  @Override
  public void force() throws StorageException {
    upload.force();
  }

  @Override
  public void kept() {
    upload.kept();
  }

  @Override
  public boolean isRecoverable() {
    return upload.isRecoverable();
  }

  @Override
  public boolean mayCheckpoint() throws StorageException {
    return upload.mayCheckpoint();
  }

  @Override
  public void leave() {
    upload.leave();
  }

  @Override
  public void close() {
    upload.close();
  }

  /**
   * The two parts of a checkpoint.
   *
   * @param summing has the checksums so far
   * @param remote the state of the upload's journal and of the remote store
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record State(Blocks.Summing summing, byte[] remote) {
    /**
     * @throws IllegalArgumentException if the bytes are not of a checkpoint
     */
    static State parse(byte[] bytes) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      int length = bytes.length < Integer.BYTES ? -1 : buffer.getInt();
      if (length < 0 || length > buffer.remaining()) {
        throw new IllegalArgumentException("its checksums are cut off");
      }
      byte[] sums = new byte[length];
      buffer.get(sums);
      byte[] remote = new byte[buffer.remaining()];
      buffer.get(remote);
      return new State(Blocks.Summing.resume(sums), remote);
    }
  }
}

package io.artifactserver.core.ingest;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A store that fails where it is told to. Used by one thread. */
public final class FaultyBlobStore extends ForwardingBlobStore {
  private Optional<StorageException> onWrite = Optional.empty();
  private Optional<StorageException> onCommit = Optional.empty();
  private Optional<StorageException> onDelete = Optional.empty();
  private Optional<StorageException> onCheck = Optional.empty();
  private long failingPosition;
  private boolean isRemote;
  private boolean keepsNothing;

  /**
   * @param store does what does not fail
   */
  public FaultyBlobStore(BlobStore store) {
    super(store);
  }

  /**
   * Writes fail from a position on.
   *
   * @param position in bytes from the start of every upload
   */
  public void failWriteAt(long position, StorageException failure) {
    failingPosition = position;
    onWrite = Optional.of(failure);
  }

  /** Commits fail. */
  public void failCommit(StorageException failure) {
    onCommit = Optional.of(failure);
  }

  /** Deletes fail. */
  public void failDelete(StorageException failure) {
    onDelete = Optional.of(failure);
  }

  /** Checks fail. */
  public void failCheck(StorageException failure) {
    onCheck = Optional.of(failure);
  }

  /** From now on others may be writing here, too. */
  public void beRemote() {
    isRemote = true;
  }

  /** No checkpoint can be made now, as where bytes come again that may be others. */
  public void keepNothing() {
    keepsNothing = true;
  }

  /** Nothing fails any more. */
  public void recover() {
    keepsNothing = false;
    onWrite = Optional.empty();
    onCommit = Optional.empty();
    onDelete = Optional.empty();
    onCheck = Optional.empty();
  }

  @Override
  public boolean isExclusive() {
    return super.isExclusive() && !isRemote;
  }

  @Override
  public BlobUpload begin(String key) throws StorageException {
    return new FaultyUpload(super.begin(key));
  }

  @Override
  public BlobUpload resume(UploadCheckpoint checkpoint) throws StorageException {
    FaultyUpload upload = new FaultyUpload(super.resume(checkpoint));
    upload.written = checkpoint.length();
    return upload;
  }

  @Override
  public void delete(BlobRef ref) throws StorageException {
    throwIfPresent(onDelete);
    super.delete(ref);
  }

  @Override
  public void check() throws StorageException {
    throwIfPresent(onCheck);
    super.check();
  }

  private static void throwIfPresent(Optional<StorageException> failure) throws StorageException {
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  private final class FaultyUpload implements BlobUpload {
    private final BlobUpload upload;
    private long written;

    FaultyUpload(BlobUpload upload) {
      this.upload = upload;
    }

    @Override
    public String key() {
      return upload.key();
    }

    @Override
    public void write(ByteBuffer bytes) throws StorageException {
      written += bytes.remaining();
      if (written > failingPosition) {
        throwIfPresent(onWrite);
      }
      upload.write(bytes);
    }

    @Override
    public BlobRef commit() throws StorageException {
      throwIfPresent(onCommit);
      return upload.commit();
    }

    @Override
    public boolean mayCheckpoint() {
      return !keepsNothing;
    }

    @Override
    public byte[] checkpoint() throws StorageException {
      return upload.checkpoint();
    }

    @Override
    public void force() throws StorageException {
      upload.force();
    }

    @Override
    public void leave() {
      upload.leave();
    }

    @Override
    public void close() {
      upload.close();
    }
  }
}

package io.artifactserver.storage.remote.journal;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.file.Boot;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends bytes, and keeps them here until a checkpoint behind them is durable. Used by one thread.
 */
final class JournaledUpload implements BlobUpload {
  private static final Logger LOGGER = LoggerFactory.getLogger(JournaledUpload.class);

  /** Bytes that are recovered at a time. */
  private static final int PIECE_LENGTH = 1 << 20;

  private final BlobUpload upload;
  private final UploadJournal journal;
  private final boolean isRecoverable;
  private long length;

  /** Whether the last checkpoint was the last act: nothing comes behind it. */
  private volatile boolean isAtRest;

  private boolean isLeft;

  JournaledUpload(BlobUpload upload, UploadJournal journal, long length, boolean isRecoverable) {
    this.upload = upload;
    this.journal = journal;
    this.length = length;
    this.isRecoverable = isRecoverable;
  }

  @Override
  public String key() {
    return upload.key();
  }

  @Override
  public void write(ByteBuffer bytes) throws StorageException {
    isAtRest = false;
    ByteBuffer same = bytes.duplicate();
    upload.write(bytes);
    length += same.remaining();
    journal.append(same);
  }

  @Override
  public BlobRef commit() throws StorageException {
    BlobRef ref = upload.commit();
    journal.delete();
    return ref;
  }

  @Override
  public byte[] checkpoint() throws StorageException {
    byte[] remote = upload.checkpoint();
    isAtRest = true;
    return new State(new byte[0], remote).toBytes();
  }

  @Override
  public byte[] checkpointAndGoOn() throws StorageException {
    byte[] remote = upload.checkpointAndGoOn();
    isAtRest = false;
    journal.checkpoint(length);
    return new State(Boot.state(), remote).toBytes();
  }

  @Override
  public void force() throws StorageException {
    upload.force();
  }

  @Override
  public void recover(int unit, Recovered recovered) throws StorageException {
    int taken = isRecoverable ? 1 : 0;
    while (taken > 0) {
      ByteBuffer piece = piece(Math.max(unit, PIECE_LENGTH));
      taken = piece.hasRemaining() ? recovered.take(piece) : 0;
      upload.write(piece.limit(piece.position() + taken));
      length += taken;
    }
  }

  private ByteBuffer piece(int least) {
    try {
      return journal.read(length, least);
    } catch (IOException e) {
      LOGGER.warn(
          "Upload {} goes on at {}: what it has sent behind that is lost with its journal, and comes again",
          upload.key(),
          length,
          e);
      return ByteBuffer.allocate(0);
    }
  }

  /** At rest nothing comes behind the checkpoint, and no older one is needed. */
  @Override
  public void kept() {
    if (isAtRest) {
      journal.delete();
    }
  }

  @Override
  public boolean isRecoverable() {
    return journal.isWritten();
  }

  @Override
  public boolean mayCheckpoint() throws StorageException {
    return upload.mayCheckpoint();
  }

  @Override
  public void leave() {
    upload.leave();
    isLeft = true;
    journal.close();
  }

  @Override
  public void close() {
    upload.close();
    if (!isLeft) {
      journal.delete();
    }
  }

  /**
   * The two parts of a checkpoint.
   *
   * @param boot while bytes flow; empty at rest
   * @param remote the state of the remote store
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record State(byte[] boot, byte[] remote) {
    /**
     * @throws IllegalArgumentException if the bytes are not of a checkpoint
     */
    static State parse(byte[] bytes) {
      int length = bytes.length == 0 ? 0 : bytes[0];
      if (length < 0 || length >= bytes.length) {
        throw new IllegalArgumentException("its journal's state is cut off");
      }
      ByteBuffer buffer = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
      byte[] boot = new byte[length];
      buffer.get(boot);
      byte[] remote = new byte[buffer.remaining()];
      buffer.get(remote);
      return new State(boot, remote);
    }

    byte[] toBytes() {
      return ByteBuffer.allocate(1 + boot.length + remote.length)
          .put((byte) boot.length)
          .put(boot)
          .put(remote)
          .array();
    }

    /** Whether what is found behind the checkpoint is what was written behind it. */
    boolean isOfThisBoot() {
      return Boot.isOf(boot);
    }
  }
}

package io.artifactserver.core.blob;

import java.nio.ByteBuffer;

/**
 * One blob being written, visible to nobody before {@link #commit()}. Used by one thread at a time
 * and closed by its caller.
 *
 * <p>With {@link #checkpoint()} and {@link #leave()} it outlives its process: {@link
 * BlobStore#resume} goes on with it.
 */
public interface BlobUpload extends AutoCloseable {
  /**
   * The key that {@link #commit()} will return: known from the start, so that what is written can
   * be bound to it. No I/O.
   */
  String key();

  /**
   * Appends the remaining bytes of {@code bytes}. Blocks until the backend has taken them.
   *
   * @throws StorageException if it did not; the upload can then only be closed
   * @throws IllegalStateException if the upload is committed, failed or closed
   */
  void write(ByteBuffer bytes) throws StorageException;

  /**
   * Makes the blob durable and visible. When this returns, the blob survives a power cut.
   *
   * @throws StorageException if it may not be durable; the upload can then only be closed
   * @throws IllegalStateException if the upload is committed, failed or closed
   */
  BlobRef commit() throws StorageException;

  /**
   * Marks what was written so far; writing goes on. Once {@link #force()} has returned, too, a
   * process that dies leaves it behind, for {@link BlobStore#resume}. The caller keeps what this
   * returns durably before it asks for the next checkpoint.
   *
   * @return what the store needs for {@link UploadCheckpoint#state()}
   * @throws StorageException if that is not possible; the upload can then only be left or closed
   * @throws IllegalStateException if the upload is committed, failed or closed
   */
  byte[] checkpoint() throws StorageException;

  /**
   * Makes the last checkpoint durable. May block for the disk, and may be called by another thread
   * while this one writes on; nothing else is called meanwhile.
   *
   * @throws StorageException if it may not be durable; the upload can then only be left or closed
   */
  void force() throws StorageException;

  /**
   * The caller has kept the last checkpoint durably: what an older one needs may go. May be called
   * by the thread of {@link #force()}. Does not fail.
   */
  default void kept() {}

  /**
   * As {@link #checkpoint()}, while writing goes on: what a process that dies has written behind it
   * may be {@linkplain #recover recovered}, where the backend can do that.
   */
  default byte[] checkpointAndGoOn() throws StorageException {
    return checkpoint();
  }

  /**
   * Whether what is written behind the last {@link #checkpointAndGoOn()} can be recovered. Once it
   * cannot, the next checkpoint is all that helps. Does not block.
   */
  default boolean isRecoverable() {
    return true;
  }

  /**
   * Takes over what was written behind the last {@link #checkpointAndGoOn()} by an upload that did
   * not get to the next one. Called at most once, between {@link BlobStore#resume} and the first
   * {@link #write}. It is as durable as what is written: until the next checkpoint it is not. Bytes
   * that may not be what was written, such as those of before a power cut, are left out.
   *
   * @param unit least bytes of a piece, unless there are fewer
   * @param recovered decides about each piece, in order
   * @throws StorageException if the bytes cannot be read; the upload can then only be left or
   *     closed
   */
  default void recover(int unit, Recovered recovered) throws StorageException {}

  /**
   * Whether a {@link #checkpoint()} can be made now. It cannot while bytes that must come again as
   * they were are not told from others yet: what was written since the last one is not kept then,
   * until more is there.
   */
  default boolean mayCheckpoint() throws StorageException {
    return true;
  }

  /**
   * Ends the use of this object and keeps what the last {@link #checkpoint()} made durable, for
   * {@link BlobStore#resume}. What was written behind it is lost. Without a checkpoint, and after a
   * commit, as {@link #close()}.
   */
  void leave();

  /**
   * Without a successful {@link #commit()}: aborts and leaves nothing behind, checkpoints included.
   * May be repeated; after {@link #leave()} it does nothing.
   */
  @Override
  void close();

  /** Gets the bytes that are found behind a checkpoint. */
  @FunctionalInterface
  interface Recovered {
    /**
     * Takes bytes of a buffer over, and leaves its position alone.
     *
     * @return how many, from the first; the next piece begins behind them. 0 ends the recovery
     */
    int take(ByteBuffer bytes) throws StorageException;
  }
}

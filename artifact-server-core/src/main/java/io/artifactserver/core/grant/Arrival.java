package io.artifactserver.core.grant;

import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;

/** A file whose bytes come in one after the other. Used by one thread, and closed by its caller. */
public interface Arrival extends AutoCloseable {
  /**
   * The file, also while it arrives: reads wait for the bytes that have not come. Its last byte is
   * not read before {@link #finish}. Thread-safe.
   */
  GrantedFile file();

  /** How many bytes have come. */
  long position();

  /**
   * Appends the remaining bytes of {@code bytes}. Blocks on the disk.
   *
   * @throws StorageException if the disk did not take them, or there are more than the artifact has
   */
  void write(ByteBuffer bytes) throws StorageException;

  /**
   * Compares what came with the artifact's digest, and makes it durable.
   *
   * @throws StorageException if it is something else, or may not be durable
   */
  void finish() throws StorageException;

  /** Without a successful {@link #finish}: reads fail, and nothing is left. May be repeated. */
  @Override
  void close();
}

package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.MultiDigester;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;

/**
 * A blob that is being written, and the digests of the same bytes. Used by one thread at a time.
 *
 * @param blob takes the bytes
 * @param digester has digested all bytes that the blob has taken
 */
record DigestedBlob(BlobUpload blob, MultiDigester digester) {
  /**
   * Appends the remaining bytes of a buffer with an array, and digests them meanwhile. I/O.
   *
   * @throws StorageException if the blob or the digests may lack bytes now: neither can go on
   */
  void write(ByteBuffer bytes) throws StorageException {
    CompletableFuture<Void> digested = digester.update(bytes.duplicate());
    try {
      blob.write(bytes);
    } finally {
      digested.join();
    }
  }

  /**
   * Recovers the bytes that a dead process wrote behind its last checkpoint, and digests them. I/O.
   *
   * @param onRecovered gets the length of each piece in turn, in bytes
   * @throws StorageException if they cannot be read; neither the blob nor the digests can go on
   */
  void recover(IntConsumer onRecovered) throws StorageException {
    blob.recover(
        1,
        bytes -> {
          int length = bytes.remaining();
          digester.update(bytes.duplicate()).join();
          onRecovered.accept(length);
          return length;
        });
  }
}

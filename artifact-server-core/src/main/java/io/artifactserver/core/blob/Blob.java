package io.artifactserver.core.blob;

import io.artifactserver.core.range.ByteRange;
import java.net.URI;
import java.util.Optional;

/** A handle on one immutable blob; holds nothing open. Thread-safe. */
public interface Blob {
  /** The blob's key and length. No I/O. */
  BlobRef ref();

  /** Length of the plain bytes. No I/O. */
  default long length() {
    return ref().length();
  }

  /**
   * Opens exactly {@code range}. I/O. The caller closes the reader. The whole range is known before
   * the first byte is read, so a backend can plan it: one covering ciphertext range, one ranged
   * GET.
   *
   * @throws IndexOutOfBoundsException if the range is not within the blob
   * @throws StorageException if the blob is missing, damaged or cannot be reached
   */
  RangeReader open(ByteRange range) throws StorageException;

  /**
   * Where a client may fetch the plain bytes itself, for a short time and without any credentials
   * of its own, if the backend can serve clients. May block.
   *
   * @param mediaType for the backend's answers
   * @param contentDisposition for the backend's answers
   * @throws StorageException if the backend cannot be asked
   */
  default Optional<URI> temporaryAddress(String mediaType, String contentDisposition)
      throws StorageException {
    return Optional.empty();
  }

  /**
   * Length in bytes of what the backend reads or decrypts at once; no I/O. A reader that is given
   * room for as much keeps nothing between reads.
   */
  default int pieceLength() {
    return 1;
  }

  /**
   * Returns the wait before the first byte: that of {@link #fileRegion} and, if there is no region,
   * of {@link #open}. No I/O; takes microseconds.
   */
  Wait waitToOpen();

  /**
   * The range as bytes that lie verbatim in a local file, if they do. May map the file: I/O the
   * first time. The caller closes the region.
   *
   * @throws IndexOutOfBoundsException if the range is not within the blob
   * @throws StorageException if the blob is missing or damaged
   */
  Optional<FileRegion> fileRegion(ByteRange range) throws StorageException;
}

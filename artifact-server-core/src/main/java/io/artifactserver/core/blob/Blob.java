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
   * Asks a backend for exactly {@code range} if that waits for nothing: a selector's thread may
   * call it, and what reads then finds the answer under way. The first read waits for it, and fails
   * as {@link #open} would have. The caller closes the reader. Takes microseconds.
   *
   * @param range within the blob
   * @return empty if the range is to be opened
   */
  default Optional<RangeReader> ask(ByteRange range) {
    return Optional.empty();
  }

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
   * Whether {@link #open} and {@link #fileRegion} may wait for a local disk, as the first use of a
   * file does. No I/O. A disk occupies the carrier of a virtual thread, so such calls are for
   * platform threads.
   */
  default boolean isCold() {
    return false;
  }

  /**
   * Whether {@link #open} and {@link #fileRegion} wait for nothing at all, neither a disk nor
   * another process: a selector's thread may call them. Takes microseconds.
   */
  default boolean isPrompt() {
    return false;
  }

  /**
   * The range as bytes that lie verbatim in a local file, if they do. May map the file: I/O the
   * first time. The caller closes the region.
   *
   * @throws IndexOutOfBoundsException if the range is not within the blob
   * @throws StorageException if the blob is missing or damaged
   */
  Optional<FileRegion> fileRegion(ByteRange range) throws StorageException;
}

package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The state with which an upload goes on in another process. Nothing of it is secret without the
 * key ring. Immutable by convention: the arrays are not copied.
 *
 * @param wrapped the data key
 * @param header that the ciphertext begins with
 * @param segment that is not written yet
 * @param sealing of the bytes that came for this segment: the header of a key of their own, as the
 *     segment's nonce must not be used before its last byte is known
 * @param sealed those bytes, encrypted
 * @param inner the state of the store below
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record EncryptedUploadState(
    WrappedDataKey wrapped,
    SegmentHeader header,
    long segment,
    SegmentHeader sealing,
    byte[] sealed,
    byte[] inner) {
  private static final byte VERSION = 1;

  /** Added to the blob's key, so that sealed bytes never pass as a segment. */
  private static final String PURPOSE = "/checkpoint";

  static SegmentKey sealingKey(DataKey dataKey, String blobKey, SegmentHeader sealing) {
    return SegmentKey.derive(dataKey.bytes(), blobKey + PURPOSE, sealing);
  }

  /**
   * Reads what {@link #toBytes} made.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static EncryptedUploadState parse(String blobKey, byte[] bytes) {
    try {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      if (buffer.get() != VERSION) {
        throw new IllegalArgumentException("its upload's state is of an unknown version");
      }
      long ringKeyId = buffer.getLong();
      byte[] wrapped = take(buffer, buffer.getInt());
      SegmentHeader header = SegmentHeader.parse(take(buffer, SegmentHeader.LENGTH));
      long segment = buffer.getLong();
      SegmentHeader sealing = SegmentHeader.parse(take(buffer, SegmentHeader.LENGTH));
      byte[] sealed = take(buffer, buffer.getInt());
      byte[] inner = take(buffer, buffer.remaining());
      return new EncryptedUploadState(
          new WrappedDataKey(blobKey, wrapped, ringKeyId), header, segment, sealing, sealed, inner);
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("its upload's state is cut off", e);
    }
  }

  byte[] toBytes() {
    int length =
        1
            + 2 * Long.BYTES
            + 2 * Integer.BYTES
            + 2 * SegmentHeader.LENGTH
            + wrapped.wrapped().length
            + sealed.length
            + inner.length;
    return ByteBuffer.allocate(length)
        .put(VERSION)
        .putLong(wrapped.ringKeyId())
        .putInt(wrapped.wrapped().length)
        .put(wrapped.wrapped())
        .put(header.toBytes())
        .putLong(segment)
        .put(sealing.toBytes())
        .putInt(sealed.length)
        .put(sealed)
        .put(inner)
        .array();
  }

  private static byte[] take(ByteBuffer buffer, int length) {
    if (length < 0 || length > buffer.remaining()) {
      throw new IllegalArgumentException("its upload's state is cut off");
    }
    byte[] bytes = new byte[length];
    buffer.get(bytes);
    return bytes;
  }
}

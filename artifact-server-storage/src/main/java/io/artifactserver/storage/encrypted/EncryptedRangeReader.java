package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import javax.crypto.AEADBadTagException;
import org.jspecify.annotations.Nullable;

/**
 * Decrypts one range segment by segment, and delivers no byte of a segment before its tag is
 * checked. Used by one thread at a time. Between reads it holds the buffers of one segment, and
 * only if a part of it is left and it was not told to rest.
 */
final class EncryptedRangeReader implements RangeReader {
  private final BlobRef ref;
  private final ByteRange range;
  private final SegmentLayout layout;
  private final Again again;
  private final SegmentCipher.Pool ciphers;
  private final String storeName;
  private SegmentKey key;
  private Ciphertext ciphertext;
  private @Nullable SegmentCipher cipher;
  private int plainOffset;
  private int plainEnd;
  private long segment;
  private long delivered;
  private boolean closed;

  /** Whether the segment that is being read was wrong once. */
  private boolean isSecondTry;

  private @Nullable StorageException failure;

  /** Where ciphertext comes from that proved wrong. */
  @FunctionalInterface
  interface Again {
    /** Gets it from there, and not from a copy, from a segment on, and the key with it. */
    Source open(long segment) throws StorageException;
  }

  /**
   * The ciphertext that segments are read from, with its key.
   *
   * @param key as its header has it now: the first one may have been made of a damaged header
   */
  record Source(SegmentKey key, Ciphertext ciphertext) {}

  /** Takes over the ciphertext, which begins with the first segment of the range. */
  EncryptedRangeReader(
      BlobRef ref,
      ByteRange range,
      SegmentLayout layout,
      SegmentKey key,
      Ciphertext ciphertext,
      Again again,
      SegmentCipher.Pool ciphers,
      String storeName) {
    this.ref = ref;
    this.range = range;
    this.layout = layout;
    this.key = key;
    this.ciphertext = ciphertext;
    this.again = again;
    this.ciphers = ciphers;
    this.storeName = storeName;
    this.segment = range.length() == 0 ? 0 : layout.segmentOf(range.position());
  }

  @Override
  public int read(ByteBuffer target) throws StorageException {
    if (closed) {
      throw new IllegalStateException("The reader is closed");
    }
    if (failure != null) {
      throw failure;
    }
    if (delivered == range.length()) {
      return -1;
    }
    int total = 0;
    // As many segments as fit whole: what is left of one occupies a buffer until the next read.
    while (target.hasRemaining() && delivered < range.length()) {
      if (plainOffset == plainEnd) {
        if (total > 0 && target.remaining() < layout.plainLength(segment)) {
          break;
        }
        decryptNext();
      }
      int length = Math.min(target.remaining(), plainEnd - plainOffset);
      target.put(using().plain(), plainOffset, length);
      plainOffset += length;
      delivered += length;
      total += length;
      if (plainOffset == plainEnd) {
        giveBack();
      }
    }
    return total;
  }

  @Override
  public Wait waitToRead(int length) {
    int left = plainEnd - plainOffset;
    if (left >= length || left == range.length() - delivered) {
      return Wait.NONE;
    }
    // With the rest of the last segment, which is decrypted as a whole.
    return ciphertext.waitToRead(length + layout.segmentLength());
  }

  /** A mapped segment is decrypted again in microseconds; its buffers are twice its length. */
  @Override
  public void rest() {
    if (plainOffset < plainEnd && ciphertext.goBack(sealedLength(segment - 1))) {
      segment--;
      giveBack();
    }
    ciphertext.rest();
  }

  /** Checks the tag of the range's first segment, of which nothing may be left to read. */
  void authenticate() throws StorageException {
    decryptNext();
    giveBack();
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      giveBack();
      ciphertext.close();
    }
  }

  private void decryptNext() throws StorageException {
    SegmentCipher using = using();
    int plainLength = layout.plainLength(segment);
    try {
      decrypt(using);
    } catch (StorageException e) {
      throw failed(e);
    } catch (InternalError e) {
      // It may have come while the bytes were decrypted: that cipher is not used again.
      cipher = null;
      throw failed(
          new StorageException.StorageUnavailable(storeName, "read ciphertext of " + ref.key(), e));
    }
    long start = layout.plainStart(segment);
    plainOffset = (int) (Math.max(start, range.position() + delivered) - start);
    plainEnd = (int) (Math.min(start + plainLength, range.end()) - start);
    segment++;
  }

  /** A segment without its tag is fetched once more: a copy or the way may be at fault. */
  private void decrypt(SegmentCipher using) throws StorageException {
    int sealed = sealedLength(segment);
    while (true) {
      ciphertext.read(using.ciphertext(), sealed);
      try {
        using.decrypt(key, segment, layout.isLast(segment), sealed);
        isSecondTry = false;
        return;
      } catch (AEADBadTagException e) {
        if (isSecondTry) {
          throw new StorageException.BlobCorrupt(
              storeName,
              ref,
              "segment %d of %d does not have its tag".formatted(segment, layout.segments()),
              e);
        }
        isSecondTry = true;
        ciphertext.close();
        Source source = again.open(segment);
        key = source.key();
        ciphertext = source.ciphertext();
      }
    }
  }

  private int sealedLength(long sealedSegment) {
    return layout.plainLength(sealedSegment) + SegmentLayout.TAG_LENGTH;
  }

  private StorageException failed(StorageException cause) {
    failure = cause;
    giveBack();
    return cause;
  }

  private SegmentCipher using() {
    if (cipher == null) {
      cipher = ciphers.acquire(layout.segmentLength());
    }
    return cipher;
  }

  private void giveBack() {
    plainOffset = 0;
    plainEnd = 0;
    if (cipher != null) {
      ciphers.release(cipher);
      cipher = null;
    }
  }
}

package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;

/**
 * Encrypts segment by segment; used by one thread. A full segment is kept until more bytes come,
 * because only then is it known not to be the last. While it waits it has no cipher, and not much
 * more memory than it has bytes of a segment.
 */
final class EncryptedUpload implements BlobUpload {
  private final BlobUpload inner;
  private final SegmentKeys.NewKey key;
  private final SegmentKeys keys;
  private final SegmentCipher.Pool ciphers;
  private final int segmentLength;
  private boolean isUsable = true;
  private byte[] pending = {};
  private int pendingLength;
  private long segment;
  private long length;
  private boolean isResumed;

  /** Takes over the inner upload. */
  EncryptedUpload(
      BlobUpload inner, SegmentKeys.NewKey key, SegmentKeys keys, SegmentCipher.Pool ciphers) {
    this.inner = inner;
    this.key = key;
    this.keys = keys;
    this.ciphers = ciphers;
    this.segmentLength = key.header().segmentLength();
  }

  /**
   * Goes on with an upload. Takes over the inner upload and the key.
   *
   * @param state as {@link #checkpoint()} made it
   * @throws AEADBadTagException if its bytes are not those that were sealed
   */
  static EncryptedUpload resumed(
      BlobUpload inner,
      SegmentKeys.NewKey key,
      SegmentKeys keys,
      SegmentCipher.Pool ciphers,
      EncryptedUploadState state)
      throws AEADBadTagException {
    EncryptedUpload upload = new EncryptedUpload(inner, key, keys, ciphers);
    try {
      upload.restore(state);
      return upload;
    } catch (AEADBadTagException | RuntimeException e) {
      upload.giveBack();
      throw e;
    }
  }

  @Override
  public String key() {
    return inner.key();
  }

  @Override
  public void write(ByteBuffer bytes) throws StorageException {
    requireUsable();
    while (bytes.hasRemaining()) {
      if (pendingLength == capacity()) {
        writeSegment(false);
      }
      int taken = Math.min(bytes.remaining(), capacity() - pendingLength);
      makeRoom(pendingLength + taken);
      bytes.get(pending, pendingLength, taken);
      pendingLength += taken;
      length += taken;
    }
  }

  @Override
  public BlobRef commit() throws StorageException {
    requireUsable();
    writeSegment(true);
    // Behind the bytes and before the blob: a blob without its key would be lost for ever, a key
    // without its blob is swept.
    if (isResumed) {
      keys.keepAgain(inner.key(), key);
    } else {
      keys.keep(inner.key(), key);
    }
    giveBack();
    return new BlobRef(inner.commit().key(), length, true);
  }

  @Override
  public byte[] checkpoint() throws StorageException {
    requireUsable();
    return sealed(inner.checkpoint());
  }

  @Override
  public byte[] checkpointAndGoOn() throws StorageException {
    requireUsable();
    return sealed(inner.checkpointAndGoOn());
  }

  /** Takes over whole segments whose tags are right, as they are: nothing is encrypted again. */
  @Override
  public void recover(int unit, Recovered recovered) throws StorageException {
    requireUsable();
    inner.recover(
        segmentLength,
        bytes -> {
          int taken = 0;
          while (bytes.remaining() - taken >= segmentLength
              && recoverSegment(bytes.slice(bytes.position() + taken, segmentLength), recovered)) {
            taken += segmentLength;
          }
          return taken;
        });
  }

  private boolean recoverSegment(ByteBuffer bytes, Recovered recovered) throws StorageException {
    SegmentCipher cipher = ciphers.acquire(segmentLength);
    try {
      int header = segment == 0 ? SegmentHeader.LENGTH : 0;
      if (!bytes.slice(0, header).equals(ByteBuffer.wrap(key.header().toBytes(), 0, header))) {
        return false;
      }
      bytes.get(header, cipher.ciphertext(), 0, segmentLength - header);
      cipher.decrypt(key.key(), segment, false, segmentLength - header);
      // They begin with those that the checkpoint has.
      if (!Arrays.equals(cipher.plain(), 0, pendingLength, pending, 0, pendingLength)) {
        return false;
      }
      int more = capacity() - pendingLength;
      int _ = recovered.take(ByteBuffer.wrap(cipher.plain(), pendingLength, more));
      length += more;
      segment++;
      pendingLength = 0;
      return true;
    } catch (AEADBadTagException _) {
      return false;
    } finally {
      ciphers.release(cipher);
    }
  }

  private byte[] sealed(byte[] state) {
    SegmentCipher cipher = ciphers.acquire(segmentLength);
    try {
      return keys.seal(inner.key(), key, cipher, segment, pending, pendingLength, state).toBytes();
    } finally {
      ciphers.release(cipher);
    }
  }

  @Override
  public void force() throws StorageException {
    inner.force();
  }

  @Override
  public void kept() {
    inner.kept();
  }

  @Override
  public boolean isRecoverable() {
    return inner.isRecoverable();
  }

  @Override
  public boolean mayCheckpoint() throws StorageException {
    return inner.mayCheckpoint();
  }

  @Override
  public void leave() {
    giveBack();
    inner.leave();
  }

  @Override
  public void close() {
    giveBack();
    inner.close();
  }

  private void restore(EncryptedUploadState state) throws AEADBadTagException {
    byte[] sealed = state.sealed();
    int plainLength = sealed.length - SegmentLayout.TAG_LENGTH;
    segment = state.segment();
    if (segment < 0 || plainLength < 0 || plainLength > capacity()) {
      throw new IllegalArgumentException("its upload's state does not fit");
    }
    SegmentCipher cipher = ciphers.acquire(segmentLength);
    try {
      System.arraycopy(sealed, 0, cipher.ciphertext(), 0, sealed.length);
      cipher.decrypt(
          EncryptedUploadState.sealingKey(key.dataKey(), inner.key(), state.sealing()),
          0,
          true,
          sealed.length);
      makeRoom(plainLength);
      System.arraycopy(cipher.plain(), 0, pending, 0, plainLength);
    } finally {
      ciphers.release(cipher);
    }
    pendingLength = plainLength;
    length = new SegmentLayout(segmentLength, 0).plainStart(segment) + plainLength;
    isResumed = true;
  }

  private int capacity() {
    return segment == 0
        ? SegmentLayout.firstPlainCapacity(segmentLength)
        : SegmentLayout.plainCapacity(segmentLength);
  }

  private void makeRoom(int bytes) {
    if (bytes > pending.length) {
      int doubled = Math.min(2 * pending.length, SegmentLayout.plainCapacity(segmentLength));
      byte[] small = pending;
      pending = Arrays.copyOf(small, Math.max(bytes, doubled));
      Arrays.fill(small, (byte) 0);
    }
  }

  private void writeSegment(boolean isLast) throws StorageException {
    requireUsable();
    if (segment > Integer.MAX_VALUE) {
      giveBack();
      throw new StorageException.StorageUnavailable(
          "encrypted",
          "a blob has at most 2^31 segments of %d bytes".formatted(segmentLength),
          null);
    }
    SegmentCipher cipher = ciphers.acquire(segmentLength);
    try {
      if (segment == 0) {
        inner.write(ByteBuffer.wrap(key.header().toBytes()));
      }
      int sealed = cipher.encrypt(key.key(), segment, isLast, pending, pendingLength);
      inner.write(ByteBuffer.wrap(cipher.ciphertext(), 0, sealed));
    } catch (StorageException e) {
      giveBack();
      throw e;
    } finally {
      ciphers.release(cipher);
    }
    segment++;
    pendingLength = 0;
  }

  private void requireUsable() {
    if (!isUsable) {
      throw new IllegalStateException("The upload is committed, failed or closed");
    }
  }

  private void giveBack() {
    if (isUsable) {
      isUsable = false;
      Arrays.fill(pending, (byte) 0);
      key.dataKey().close();
    }
  }
}

package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.util.Optional;

/** A blob whose stored bytes are ciphertext; thread-safe. */
record EncryptedBlob(
    BlobRef ref,
    BlobStore inner,
    SegmentKeys keys,
    SegmentCipher.Pool ciphers,
    Optional<DecryptedCopies> copies,
    String storeName)
    implements Blob {
  @Override
  public int pieceLength() {
    return SegmentLayout.plainCapacity(ciphers.segmentLength());
  }

  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    RangeReader reader = decrypt(range);
    try {
      copies.ifPresent(known -> known.decrypting(this, range.length()));
      return reader;
    } catch (Throwable e) {
      reader.close();
      throw e;
    }
  }

  @Override
  public Wait waitToOpen() {
    if (isCopied()) {
      return Wait.NONE;
    }
    SegmentKey key = keys.remembered(ref);
    // The segment length decides how long the ciphertext is, but not where it is.
    int segmentLength = key == null ? ciphers.segmentLength() : key.segmentLength();
    Wait wait = inner(new SegmentLayout(segmentLength, ref.length())).waitToOpen();
    return key == null ? wait.and(Wait.REMOTE) : wait;
  }

  @Override
  public Optional<FileRegion> fileRegion(ByteRange range) {
    range.requireWithin(ref.length());
    return copies.flatMap(known -> known.region(ref, range));
  }

  /** As {@link #open}, and nobody counts it. */
  RangeReader decrypt(ByteRange range) throws StorageException {
    range.requireWithin(ref.length());
    SegmentKey key = keys.find(ref);
    SegmentLayout layout = new SegmentLayout(key.segmentLength(), ref.length());
    ByteRange covering = layout.ciphertextRange(range);
    Blob blob = inner(layout);
    Optional<FileRegion> region = blob.fileRegion(covering);
    return reader(
        range,
        key,
        layout,
        region.isPresent()
            ? new Ciphertext.Mapped(region.get())
            : new Ciphertext.Streamed(blob.open(covering)));
  }

  private RangeReader reader(
      ByteRange range, SegmentKey key, SegmentLayout layout, Ciphertext ciphertext)
      throws StorageException {
    EncryptedRangeReader reader =
        new EncryptedRangeReader(
            ref,
            range,
            layout,
            key,
            ciphertext,
            segment -> again(range, key, layout, segment),
            ciphers,
            storeName);
    if (ref.length() == 0) {
      try {
        reader.authenticate();
      } catch (StorageException | RuntimeException e) {
        reader.close();
        throw e;
      }
    }
    return reader;
  }

  private EncryptedRangeReader.Source again(
      ByteRange range, SegmentKey known, SegmentLayout layout, long segment)
      throws StorageException {
    long start = range.isEmpty() ? range.position() : layout.plainStart(segment);
    ByteRange rest =
        layout.ciphertextRange(
            new ByteRange(
                Math.max(start, range.position()),
                range.end() - Math.max(start, range.position())));
    Blob blob = inner(layout);
    inner.forgetCopies(blob.ref());
    SegmentKey key = keys.findAgain(ref, known);
    return new EncryptedRangeReader.Source(key, new Ciphertext.Streamed(blob.open(rest)));
  }

  private boolean isCopied() {
    return copies.isPresent() && copies.get().has(ref);
  }

  /** The stored blob, of the length that it must have; the inner store refuses any other. */
  private Blob inner(SegmentLayout layout) {
    return inner.blob(new BlobRef(ref.key(), layout.ciphertextLength()));
  }
}

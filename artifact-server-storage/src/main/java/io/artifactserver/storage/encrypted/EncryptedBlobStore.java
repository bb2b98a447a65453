package io.artifactserver.storage.encrypted;

import com.github.benmanes.caffeine.cache.Ticker;
import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps blobs as ciphertext in another store. Thread-safe.
 *
 * <p>The keys are those of the inner store, whose blobs are {@link SegmentHeader headers} and
 * segments. Each blob has a data key of its own, kept elsewhere and wrapped by the key ring;
 * without it the blob is gone.
 */
public final class EncryptedBlobStore implements BlobStore {
  private static final Logger LOGGER = LoggerFactory.getLogger(EncryptedBlobStore.class);
  private static final int IDLE_CIPHERS = 16;

  private final BlobStore inner;
  private final DataKeyStore dataKeys;
  private final KeyRing ring;
  private final SegmentKeys segmentKeys;
  private final SegmentCipher.Pool ciphers;
  private final Optional<DecryptedCopies> copies;
  private final int segmentLength;
  private final String name;

  /**
   * @param inner keeps the ciphertext, beside blobs that are none of this store
   * @param segmentLength of new blobs, in bytes; the others say theirs
   */
  public EncryptedBlobStore(
      BlobStore inner, DataKeyStore dataKeys, KeyRing ring, int segmentLength) {
    this(inner, dataKeys, ring, segmentLength, Optional.empty(), SegmentKeys.MIN_IDLE_TIME);
  }

  /**
   * @param inner keeps the ciphertext, beside blobs that are none of this store
   * @param segmentLength of new blobs, in bytes; the others say theirs
   * @param copies of what is asked for again and again, if there may be any
   * @param idleTime how long the key of a blob is remembered that nobody asks for
   */
  EncryptedBlobStore(
      BlobStore inner,
      DataKeyStore dataKeys,
      KeyRing ring,
      int segmentLength,
      Optional<DecryptedCopies> copies,
      Duration idleTime) {
    this.inner = inner;
    this.dataKeys = dataKeys;
    this.ring = ring;
    this.name = "encrypted-" + inner.name();
    this.segmentKeys =
        new SegmentKeys(inner, dataKeys, ring, name, idleTime, Ticker.systemTicker());
    this.copies = copies;
    this.ciphers = new SegmentCipher.Pool(segmentLength, IDLE_CIPHERS);
    this.segmentLength = new SegmentLayout(segmentLength, 0).segmentLength();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Blob blob(BlobRef ref) {
    return new EncryptedBlob(ref, inner, segmentKeys, ciphers, copies, name);
  }

  @Override
  public BlobUpload begin(String key) throws StorageException {
    if (dataKeys.find(key).isPresent()) {
      // Its data key would be replaced by that of an upload which then fails.
      throw new StorageException.StorageUnavailable(
          name, "blob %s exists already".formatted(key), null);
    }
    SegmentCipher.warmUp();
    BlobUpload upload = inner.begin(key);
    try {
      return new EncryptedUpload(
          upload, segmentKeys.create(upload.key(), segmentLength), segmentKeys, ciphers);
    } catch (RuntimeException e) {
      upload.close();
      throw e;
    }
  }

  @Override
  public BlobUpload resume(UploadCheckpoint checkpoint) throws StorageException {
    String key = checkpoint.key();
    BlobRef ref = new BlobRef(key, checkpoint.length(), true);
    SegmentKeys.@Nullable NewKey newKey = null;
    @Nullable BlobUpload upload = null;
    @Nullable EncryptedUpload resumed = null;
    try {
      EncryptedUploadState state = EncryptedUploadState.parse(key, checkpoint.state());
      newKey = segmentKeys.resume(key, state);
      upload =
          inner.resume(
              new UploadCheckpoint(
                  key,
                  state.segment() * state.header().segmentLength(),
                  state.inner(),
                  checkpoint.mustRepeat()));
      resumed = EncryptedUpload.resumed(upload, newKey, segmentKeys, ciphers, state);
      return resumed;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new StorageException.BlobCorrupt(
          name, ref, "its upload cannot go on: " + e.getMessage(), e);
    } finally {
      if (resumed == null) {
        if (newKey != null) {
          newKey.dataKey().close();
        }
        if (upload != null) {
          upload.leave();
        }
      }
    }
  }

  @Override
  public void discard(UploadCheckpoint checkpoint) {
    try {
      EncryptedUploadState state = EncryptedUploadState.parse(checkpoint.key(), checkpoint.state());
      inner.discard(
          new UploadCheckpoint(
              checkpoint.key(),
              state.segment() * state.header().segmentLength(),
              state.inner(),
              checkpoint.mustRepeat()));
    } catch (IllegalArgumentException e) {
      LOGGER.debug("Leaving upload {} to the sweeper", checkpoint.key(), e);
    }
  }

  @Override
  public void delete(BlobRef ref) throws StorageException {
    // The key first: from here on the bytes are noise, wherever copies of them are.
    try {
      dataKeys.delete(ref.key());
    } finally {
      segmentKeys.forget(ref.key());
      copies.ifPresent(known -> known.forget(ref.key()));
    }
    inner.delete(new BlobRef(ref.key(), 0));
  }

  /** As the inner store's, of the blobs that have a data key; asks the database for each. */
  @Override
  public Stream<StoredBlob> list() throws StorageException {
    return inner
        .list()
        .flatMap(stored -> {
          try {
            return plain(stored).stream();
          } catch (StorageException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Override
  public int removeAbandonedUploads(Instant begunBefore, Set<String> resumable)
      throws StorageException {
    return inner.removeAbandonedUploads(begunBefore, resumable);
  }

  @Override
  public void forgetCopies(BlobRef ref) {
    copies.ifPresent(known -> known.forget(ref.key()));
    inner.forgetCopies(new BlobRef(ref.key(), 0));
  }

  /** With keys of its own: a remembered one would hide that a blob's header is damaged. */
  @Override
  public BlobStore originals() {
    return new EncryptedBlobStore(inner.originals(), dataKeys, ring, segmentLength);
  }

  @Override
  public boolean isExclusive() {
    return inner.isExclusive();
  }

  @Override
  public long uploadMemory() {
    return inner.uploadMemory();
  }

  @Override
  public boolean hasRoom() {
    return inner.hasRoom();
  }

  @Override
  public void check() throws StorageException {
    inner.check();
  }

  private Optional<StoredBlob> plain(StoredBlob stored) throws StorageException {
    Optional<DataKey> dataKey = segmentKeys.dataKey(stored.ref());
    if (dataKey.isEmpty()) {
      return Optional.empty();
    }
    try (DataKey found = dataKey.get()) {
      long length =
          SegmentLayout.ofCiphertext(found.segmentLength(), stored.ref().length()).plainLength();
      return Optional.of(
          new StoredBlob(new BlobRef(stored.ref().key(), length, true), stored.storedAt()));
    } catch (IllegalArgumentException e) {
      throw new StorageException.BlobCorrupt(
          name, stored.ref(), "its length is no ciphertext's", e);
    }
  }
}

package io.artifactserver.storage.remote.checked;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobChecksums;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.remote.journal.UploadJournals;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks what comes back from a remote store. Thread-safe.
 *
 * <p>The checksum of each 64 KiB is recorded while a blob is uploaded. Bytes are read in whole
 * blocks, and no byte of a block is delivered before its checksum was compared; a block that
 * differs is fetched once more. Blobs of before, which have no checksums, are read as they come
 * until a {@link CheckedBackfill} gave them some.
 */
public final class CheckedBlobStore implements BlobStore {
  private static final Logger LOGGER = LoggerFactory.getLogger(CheckedBlobStore.class);
  private static final int BUFFER_LENGTH = 512 * 1024;

  private final BlobStore remote;
  private final BlobChecksums stored;
  private final KnownChecksums checksums;
  private final UploadJournals journals;

  /**
   * @param remote keeps the bytes; closed by the caller
   */
  public CheckedBlobStore(BlobStore remote, BlobChecksums stored, UploadJournals journals) {
    this.remote = remote;
    this.stored = stored;
    this.journals = journals;
    this.checksums = new KnownChecksums(stored);
  }

  @Override
  public String name() {
    return remote.name();
  }

  @Override
  public Blob blob(BlobRef ref) {
    return new CheckedBlob(remote.blob(ref), checksums, name());
  }

  @Override
  public BlobUpload begin(String key) throws StorageException {
    return new CheckedUpload(journals.begun(remote.begin(key)), checksums, name());
  }

  @Override
  public BlobUpload resume(UploadCheckpoint checkpoint) throws StorageException {
    try {
      CheckedUpload.State state = CheckedUpload.State.parse(checkpoint.state());
      UploadCheckpoint journaled = journaled(checkpoint, state);
      BlobUpload upload = remote.resume(UploadJournals.remote(journaled));
      return new CheckedUpload(
          journals.resumed(upload, journaled), checksums, name(), state.summing());
    } catch (IllegalArgumentException e) {
      throw new StorageException.BlobCorrupt(
          name(), checkpoint.ref(), "its upload cannot go on: " + e.getMessage(), e);
    }
  }

  @Override
  public void discard(UploadCheckpoint checkpoint) {
    journals.delete(checkpoint.key());
    try {
      CheckedUpload.State state = CheckedUpload.State.parse(checkpoint.state());
      remote.discard(UploadJournals.remote(journaled(checkpoint, state)));
    } catch (IllegalArgumentException e) {
      LOGGER.debug("Leaving upload {} to the sweeper", checkpoint.key(), e);
    }
  }

  private static UploadCheckpoint journaled(
      UploadCheckpoint checkpoint, CheckedUpload.State state) {
    return new UploadCheckpoint(
        checkpoint.key(), checkpoint.length(), state.remote(), checkpoint.mustRepeat());
  }

  @Override
  public void delete(BlobRef ref) throws StorageException {
    remote.delete(ref);
    checksums.delete(ref.key());
  }

  @Override
  public Stream<StoredBlob> list() throws StorageException {
    return remote.list();
  }

  /** With the checksums of what was never committed, and the journals. */
  @Override
  public int removeAbandonedUploads(Instant begunBefore, Set<String> resumable)
      throws StorageException {
    stored.deleteOrphans(begunBefore);
    journals.deleteAbandoned(resumable);
    return remote.removeAbandonedUploads(begunBefore, resumable);
  }

  @Override
  public void forgetCopies(BlobRef ref) {
    remote.forgetCopies(ref);
  }

  @Override
  public BlobStore originals() {
    return new CheckedBlobStore(remote.originals(), stored, journals);
  }

  @Override
  public boolean isExclusive() {
    return remote.isExclusive();
  }

  @Override
  public long uploadMemory() {
    return remote.uploadMemory();
  }

  @Override
  public boolean hasRoom() {
    return remote.hasRoom();
  }

  @Override
  public void check() throws StorageException {
    remote.check();
  }

  /**
   * Reads a blob and keeps its checksums, if its bytes have its digest.
   *
   * @return whether they have
   */
  boolean sum(BlobChecksums.Unchecked unchecked) throws StorageException {
    BlobRef blob = unchecked.blob();
    MessageDigest digest = unchecked.sha256().algorithm().newMessageDigest();
    Blocks.Summing summing = new Blocks.Summing();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    try (RangeReader reader = remote.blob(blob).open(ByteRange.whole(blob.length()))) {
      while (reader.read(buffer) >= 0) {
        buffer.flip();
        digest.update(buffer.duplicate());
        summing.add(buffer);
        buffer.clear();
      }
    }
    boolean isRight = MessageDigest.isEqual(digest.digest(), unchecked.sha256().bytes());
    if (isRight) {
      checksums.put(blob.key(), summing.finish());
    }
    return isRight;
  }

  static StorageException unavailable(String name, CatalogUnavailableException cause) {
    return new StorageException.StorageUnavailable(
        name, "checksums cannot be looked up: " + cause.getMessage(), cause);
  }
}

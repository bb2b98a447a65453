package io.artifactserver.storage.encrypted;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.range.ByteRange;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds and remembers the segment keys of blobs, so that a warm range asks neither the database nor
 * the blob's header. Thread-safe. Bounded in number and idle time: what is remembered can be found
 * in a dump of the memory.
 */
final class SegmentKeys {
  private static final int MAX_CACHED = 10_000;

  /** The least, so that what is in use is not looked up all the time. */
  static final Duration MIN_IDLE_TIME = Duration.ofMinutes(10);

  private final BlobStore inner;
  private final DataKeyStore dataKeys;
  private final KeyRing ring;
  private final String storeName;
  private final SecureRandom random = new SecureRandom();
  private final Cache<String, SegmentKey> cached;

  /**
   * @param idleTime how long a key is remembered that nobody asks for
   * @param ticker tells the time
   */
  SegmentKeys(
      BlobStore inner,
      DataKeyStore dataKeys,
      KeyRing ring,
      String storeName,
      Duration idleTime,
      Ticker ticker) {
    this.inner = inner;
    this.dataKeys = dataKeys;
    this.ring = ring;
    this.storeName = storeName;
    this.cached =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .ticker(ticker)
            .maximumSize(MAX_CACHED)
            .expireAfterAccess(idleTime)
            .build();
  }

  /** Makes the key of a new blob. */
  NewKey create(String blobKey, int segmentLength) {
    SegmentHeader header = SegmentHeader.random(segmentLength, random);
    DataKey dataKey = DataKey.random(segmentLength, random);
    return new NewKey(SegmentKey.derive(dataKey.bytes(), blobKey, header), header, dataKey);
  }

  /** Keeps the key of a new blob. Asks the database. */
  void keep(String blobKey, NewKey key) {
    // Wrapped only now: while a long upload lasted, the ring may have got another primary key.
    ring.keep(blobKey, key.dataKey(), dataKeys);
  }

  /** The key of a blob; asks the database and reads the blob's header if it is not remembered. */
  SegmentKey find(BlobRef ref) throws StorageException {
    try {
      // The cache runs one load or invalidation of a key at a time: what is deleted meanwhile is
      // not remembered.
      return cached.get(ref.key(), _ -> loadInCache(ref));
    } catch (UncheckedIOException e) {
      throw storageException(e);
    }
  }

  /**
   * The key of a blob whose segments do not have their tags: the header that the known one was made
   * of may have been damaged on its way. Asks the database and reads the header.
   *
   * @return the known one if the database cannot be asked
   */
  SegmentKey findAgain(BlobRef ref, SegmentKey known) throws StorageException {
    try {
      // Not forgotten first: others go on with the known one while the database is away.
      return cached.asMap().compute(ref.key(), (_, _) -> loadInCache(ref));
    } catch (CatalogUnavailableException _) {
      return known;
    } catch (UncheckedIOException e) {
      throw storageException(e);
    }
  }

  /** The key of a blob that has been asked for lately. No I/O. */
  @Nullable SegmentKey remembered(BlobRef ref) {
    return cached.getIfPresent(ref.key());
  }

  void forget(String blobKey) {
    cached.invalidate(blobKey);
  }

  /** Asks the database for a blob's data key. The caller closes it. */
  Optional<DataKey> dataKey(BlobRef ref) throws StorageException {
    Optional<WrappedDataKey> wrapped = dataKeys.find(ref.key());
    while (wrapped.isPresent()) {
      try {
        return Optional.of(ring.unwrap(wrapped.get()));
      } catch (GeneralSecurityException | IllegalArgumentException e) {
        long ringKeyId = wrapped.get().ringKeyId();
        Optional<WrappedDataKey> now = dataKeys.find(ref.key());
        if (now.isPresent() && now.get().ringKeyId() == ringKeyId) {
          throw new StorageException.BlobCorrupt(
              storeName,
              ref,
              "key %d of the ring does not unwrap its data key".formatted(ringKeyId),
              e);
        }
        // Wrapped again since it was read, and its old key removed.
        wrapped = now;
      }
    }
    return Optional.empty();
  }

  private SegmentKey loadInCache(BlobRef ref) {
    try {
      return load(ref);
    } catch (StorageException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StorageException storageException(UncheckedIOException e) {
    if (e.getCause() instanceof StorageException cause) {
      return cause;
    }
    throw e;
  }

  private SegmentKey load(BlobRef ref) throws StorageException {
    Optional<DataKey> dataKey = dataKey(ref);
    if (dataKey.isEmpty()) {
      throw new StorageException.BlobNotFound(storeName, ref, null);
    }
    try (DataKey found = dataKey.get()) {
      SegmentHeader header = header(ref, new SegmentLayout(found.segmentLength(), ref.length()));
      return SegmentKey.derive(found.bytes(), ref.key(), header);
    } catch (IllegalArgumentException e) {
      throw new StorageException.BlobCorrupt(storeName, ref, String.valueOf(e.getMessage()), e);
    }
  }

  private SegmentHeader header(BlobRef ref, SegmentLayout layout) throws StorageException {
    BlobRef innerRef = new BlobRef(ref.key(), layout.ciphertextLength());
    try {
      return header(innerRef, layout.segmentLength());
    } catch (IllegalArgumentException _) {
      // A copy of it or the way may be at fault.
      inner.forgetCopies(innerRef);
      return header(innerRef, layout.segmentLength());
    }
  }

  private SegmentHeader header(BlobRef innerRef, int segmentLength) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.LENGTH);
    try (RangeReader reader = inner.blob(innerRef).open(ByteRange.whole(SegmentHeader.LENGTH))) {
      while (reader.read(bytes) >= 0) {
        // Reads on.
      }
    }
    SegmentHeader header = SegmentHeader.parse(bytes.array());
    if (header.segmentLength() != segmentLength) {
      throw new IllegalArgumentException("its header has another segment length than its key");
    }
    return header;
  }

  /**
   * What a new blob needs.
   *
   * @param key for its segments
   * @param header that its ciphertext begins with
   * @param dataKey to be kept before the blob is committed, then closed
   */
  record NewKey(SegmentKey key, SegmentHeader header, DataKey dataKey) {
    /** Without the keys. */
    @Override
    public String toString() {
      return "NewKey";
    }
  }
}

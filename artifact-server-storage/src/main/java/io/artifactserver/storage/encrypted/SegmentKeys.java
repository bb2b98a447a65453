package io.artifactserver.storage.encrypted;

import com.github.benmanes.caffeine.cache.AsyncCache;
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
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds and remembers the segment keys of blobs, so that a warm range asks neither the database nor
 * the blob's header. Thread-safe. Bounded in number and idle time: what is remembered can be found
 * in a dump of the memory.
 *
 * <p>One caller at a time looks for a key, under no lock; the others who want the same one get what
 * it finds, or its failure.
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
  private final AsyncCache<String, SegmentKey> cached;

  /** Those that are looked for although they are known. */
  private final ConcurrentMap<String, CompletableFuture<SegmentKey>> again =
      new ConcurrentHashMap<>();

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
            .buildAsync();
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

  /** As {@link #keep}; a process that died in its commit may have kept the key already. */
  void keepAgain(String blobKey, NewKey key) {
    dataKeys.delete(blobKey);
    keep(blobKey, key);
  }

  /**
   * The key of an upload that goes on.
   *
   * @throws GeneralSecurityException if the ring does not unwrap its data key any more
   */
  NewKey resume(String blobKey, EncryptedUploadState state) throws GeneralSecurityException {
    DataKey dataKey = ring.unwrap(state.wrapped());
    return new NewKey(
        SegmentKey.derive(dataKey.bytes(), blobKey, state.header()), state.header(), dataKey);
  }

  /**
   * Seals what an upload has, so that another process can go on with it.
   *
   * @param cipher for a segment
   * @param pending begins with the plain bytes of the segment that is not written yet
   * @param inner the state of the store below
   */
  EncryptedUploadState seal(
      String blobKey,
      NewKey key,
      SegmentCipher cipher,
      long segment,
      byte[] pending,
      int pendingLength,
      byte[] inner) {
    SegmentHeader sealing = SegmentHeader.random(key.header().segmentLength(), random);
    int sealed =
        cipher.encrypt(
            EncryptedUploadState.sealingKey(key.dataKey(), blobKey, sealing),
            0,
            true,
            pending,
            pendingLength);
    return new EncryptedUploadState(
        ring.wrap(blobKey, key.dataKey()),
        key.header(),
        segment,
        sealing,
        Arrays.copyOf(cipher.ciphertext(), sealed),
        inner);
  }

  /** The key of a blob; asks the database and reads the blob's header if it is not remembered. */
  SegmentKey find(BlobRef ref) throws StorageException {
    CompletableFuture<SegmentKey> mine = new CompletableFuture<>();
    // If the blob is deleted before the key is found, the key is not remembered.
    @Nullable CompletableFuture<SegmentKey> other = cached.asMap().putIfAbsent(ref.key(), mine);
    return other == null ? load(ref, mine) : joined(other);
  }

  /**
   * The key of a blob whose segments do not have their tags: the header that the known one was made
   * of may have been damaged on its way. Asks the database and reads the header.
   *
   * @return the known one if the database cannot be asked
   */
  SegmentKey findAgain(BlobRef ref, SegmentKey known) throws StorageException {
    CompletableFuture<SegmentKey> mine = new CompletableFuture<>();
    @Nullable CompletableFuture<SegmentKey> other = again.putIfAbsent(ref.key(), mine);
    try {
      if (other != null) {
        return joined(other);
      }
      SegmentKey found = load(ref, mine);
      // Not forgotten before: others go on with the known one while the database is away.
      cached.asMap().computeIfPresent(ref.key(), (_, _) -> mine);
      return found;
    } catch (CatalogUnavailableException _) {
      return known;
    } finally {
      again.remove(ref.key(), mine);
    }
  }

  /** The key of a blob that has been asked for lately. No I/O. */
  @Nullable SegmentKey remembered(BlobRef ref) {
    return cached.synchronous().getIfPresent(ref.key());
  }

  void forget(String blobKey) {
    cached.synchronous().invalidate(blobKey);
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

  /** Completes the future, whatever happens: others may wait for it. */
  private SegmentKey load(BlobRef ref, CompletableFuture<SegmentKey> mine) throws StorageException {
    try {
      SegmentKey found = load(ref);
      mine.complete(found);
      return found;
    } catch (StorageException | RuntimeException | Error e) {
      mine.completeExceptionally(e);
      throw e;
    }
  }

  private static SegmentKey joined(CompletableFuture<SegmentKey> other) throws StorageException {
    try {
      return other.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case StorageException failure -> throw failure;
        case CatalogUnavailableException failure -> throw failure;
        case null, default -> throw e;
      }
    }
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
   * The keys and the header of a new blob.
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

package io.artifactserver.storage.encrypted;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.encryption.DecryptedCache;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.IdleMappings;
import io.artifactserver.storage.local.mapped.MappableFile;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps hot blobs decrypted in memory, from where they are sent like plain files: a rollout's
 * devices all ask for the same bytes, which need decrypting once. Thread-safe.
 *
 * <p>A blob is copied, in the background and whole, when its readers have decrypted twice its
 * length. A copy goes when its blob is deleted, when nobody asks for it for the idle time, or after
 * a minute of that if its room is wanted. The bound holds always: what a slow client still reads
 * counts, and what finds no room is decrypted as before.
 */
public final class DecryptedCopies implements DecryptedCache, AutoCloseable {
  /** As long as segment keys are remembered. */
  static final Duration IDLE_TIME = Duration.ofMinutes(10);

  /** A copy used within it does not make room: two blobs must not chase each other. */
  static final Duration MIN_IDLE_TIME = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger(DecryptedCopies.class);
  private static final int WORTHWHILE = 2;
  private static final int MAX_COUNTED = 10_000;
  private static final int BUFFER_LENGTH = 256 * 1024;

  private final long maxBytes;
  private final MappedFiles copies;
  private final IdleMappings idleCopies;
  private final Executor copiers;
  private final AtomicLong heldBytes = new AtomicLong();

  /** How many bytes were decrypted, by the keys of the blobs. */
  private final Cache<String, LongAdder> decrypted =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumSize(MAX_COUNTED)
          .expireAfterAccess(IDLE_TIME)
          .build();

  /** One at a time: the others are asked for again. */
  private final Semaphore copying = new Semaphore(1);

  /** The key of the blob that is being copied; null if none is, or it was deleted meanwhile. */
  private @Nullable String wanted;

  private boolean isClosed;

  /**
   * @param maxBytes of all copies together
   * @param copies has nothing yet; taken over
   * @param copiers runs what waits for disks and servers
   */
  DecryptedCopies(long maxBytes, MappedFiles copies, Executor copiers) {
    this.maxBytes = maxBytes;
    this.copies = copies;
    this.copiers = copiers;
    this.idleCopies = new IdleMappings(copies, IDLE_TIME);
  }

  /**
   * An empty one.
   *
   * @param maxBytes of all copies together
   */
  static DecryptedCopies ofAtMost(long maxBytes) {
    ThreadFactory threads = Thread.ofPlatform().daemon().name("decrypted-copy").factory();
    return new DecryptedCopies(
        maxBytes,
        new MappedFiles(Integer.MAX_VALUE, IDLE_TIME),
        copy -> threads.newThread(copy).start());
  }

  @Override
  public long heldBytes() {
    return heldBytes.get();
  }

  /** Whether there is a copy. No I/O. */
  boolean has(BlobRef ref) {
    return copies.isMapped(ref.key());
  }

  /** The range of the copy, if there is one; the caller closes it. No I/O. */
  Optional<FileRegion> region(BlobRef ref, ByteRange range) {
    return copies.mappedRegion(ref.key(), range);
  }

  /** Counts bytes that are decrypted for somebody, and has the blob copied when it is time. */
  void decrypting(EncryptedBlob blob, long length) {
    BlobRef ref = blob.ref();
    if (ref.length() == 0 || ref.length() > maxBytes) {
      return;
    }
    LongAdder count = decrypted.get(ref.key(), _ -> new LongAdder());
    count.add(length);
    if (count.sum() >= WORTHWHILE * ref.length() && copying.tryAcquire()) {
      decrypted.invalidate(ref.key());
      if (!begin(ref)) {
        copying.release();
        return;
      }
      try {
        copiers.execute(() -> copy(blob));
      } catch (Throwable e) {
        // No thread is to be had.
        heldBytes.addAndGet(-ref.length());
        copying.release();
        throw e;
      }
    }
  }

  /** Drops the copy now, or when its last reader is done. */
  void forget(String key) {
    synchronized (this) {
      if (key.equals(wanted)) {
        wanted = null;
      }
    }
    decrypted.invalidate(key);
    copies.forget(key);
  }

  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
      wanted = null;
    }
    idleCopies.close();
    copies.close();
  }

  private synchronized boolean begin(BlobRef ref) {
    if (isClosed || has(ref) || !makeRoom(ref.length())) {
      return false;
    }
    wanted = ref.key();
    return true;
  }

  private boolean makeRoom(long length) {
    while (heldBytes.get() + length > maxBytes) {
      if (!copies.closeOldest(MIN_IDLE_TIME)) {
        return false;
      }
    }
    heldBytes.addAndGet(length);
    return true;
  }

  private void copy(EncryptedBlob blob) {
    boolean isKept = false;
    try {
      FileChannel memory = AnonymousFile.create();
      try {
        fill(memory, blob);
        isKept = keep(new Copy(blob.ref(), memory));
      } finally {
        if (!isKept) {
          memory.close();
        }
      }
    } catch (IOException e) {
      // Its readers are told what is wrong with it.
      LOG.debug("Blob {} was not copied into memory", blob.ref().key(), e);
    } finally {
      if (!isKept) {
        heldBytes.addAndGet(-blob.length());
      }
      copying.release();
    }
  }

  private void fill(FileChannel memory, EncryptedBlob blob) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_LENGTH);
    try (RangeReader reader = blob.decrypt(ByteRange.whole(blob.length()))) {
      while (isWanted(blob.ref()) && reader.read(buffer.clear()) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          memory.write(buffer);
        }
      }
    }
  }

  private synchronized boolean isWanted(BlobRef ref) {
    return ref.key().equals(wanted);
  }

  /** Returns whether it is wanted still. */
  private synchronized boolean keep(Copy copy) throws StorageException {
    if (!isWanted(copy.ref)) {
      return false;
    }
    wanted = null;
    copies.region(copy.ref.key(), new ByteRange(0, 0), copy).close();
    return true;
  }

  /** All of a blob's plain bytes. */
  private final class Copy implements MappableFile {
    private final BlobRef ref;
    private final FileChannel memory;

    private Copy(BlobRef ref, FileChannel memory) {
      this.ref = ref;
      this.memory = memory;
    }

    @Override
    public FileChannel openForMapping() {
      return memory;
    }

    @Override
    public StorageException unavailable(IOException cause) {
      return new StorageException.StorageUnavailable(
          "memory", "map the copy of " + ref.key(), cause);
    }

    @Override
    public void unmapped() {
      heldBytes.addAndGet(-ref.length());
    }
  }
}

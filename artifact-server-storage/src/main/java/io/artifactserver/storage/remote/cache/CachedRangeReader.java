package io.artifactserver.storage.remote.cache;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a range from the entry's file, waiting for pieces as it comes to them; what the cache
 * cannot have, it reads from the remote store. Used by one thread.
 */
final class CachedRangeReader implements RangeReader {
  private static final Logger LOG = LoggerFactory.getLogger(CachedRangeReader.class);

  private final Blob remote;
  private final ByteRange range;
  private final CacheEntry entry;
  private final PieceFetches fetches;
  private final CacheEntries entries;
  private final CacheCounters counters;
  private @Nullable FileChannel channel;
  private @Nullable RangeReader direct;
  private long position;
  private long presentEnd;
  private boolean closed;

  /** Takes over a pin of the entry. */
  CachedRangeReader(
      Blob remote,
      ByteRange range,
      CacheEntry entry,
      PieceFetches fetches,
      CacheEntries entries,
      CacheCounters counters) {
    this.remote = remote;
    this.range = range;
    this.entry = entry;
    this.fetches = fetches;
    this.entries = entries;
    this.counters = counters;
    this.position = range.position();
    this.presentEnd = range.position();
  }

  /** Waits until the next bytes can be read. */
  void advance() throws StorageException {
    CacheFile file = entry.file();
    int piece = file.pieceOf(position);
    var there = entry.request(piece, file.pieceOf(range.end() - 1) + 1);
    fetches.schedule(entry);
    try {
      if (there.get()) {
        if (channel == null) {
          Optional<FileChannel> opened = entry.open();
          if (opened.isEmpty()) {
            goRemote();
            return;
          }
          channel = opened.get();
        }
        presentEnd = Math.min(range.end(), entry.presentEnd(piece));
      } else {
        goRemote();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StorageException cause) {
        throw cause;
      }
      throw new IllegalStateException(e);
    } catch (IOException e) {
      giveUp(e);
    }
  }

  @Override
  public int read(ByteBuffer target) throws StorageException {
    if (closed) {
      throw new IllegalStateException("The reader is closed");
    }
    if (position == range.end()) {
      return -1;
    }
    if (direct == null && position == presentEnd) {
      advance();
    }
    int length = direct == null ? readFile(target) : 0;
    if (direct != null) {
      length = direct.read(target);
      if (length < 0) {
        throw unavailable("the store ended early", null);
      }
    }
    position += length;
    return length;
  }

  /** A piece that is there lies in a file, of which nobody tells what the page cache has. */
  @Override
  public Wait waitToRead(int length) {
    if (direct != null) {
      return direct.waitToRead(length);
    }
    if (position == range.end()) {
      return Wait.NONE;
    }
    boolean isThere = position < presentEnd || entry.has(entry.file().pieceOf(position));
    return isThere ? Wait.DISK : Wait.REMOTE;
  }

  @Override
  public void rest() {
    if (direct != null) {
      direct.rest();
    }
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      entry.unpin();
      closeChannel();
      if (direct != null) {
        direct.close();
      }
    }
  }

  private int readFile(ByteBuffer target) throws StorageException {
    if (channel == null) {
      throw new IllegalStateException("Read before the first piece");
    }
    int limit = target.limit();
    target.limit(target.position() + (int) Math.min(target.remaining(), presentEnd - position));
    try {
      int length = channel.read(target, position);
      if (length < 0) {
        throw new IOException("it ends at byte " + position);
      }
      return length;
    } catch (IOException e) {
      giveUp(e);
      return 0;
    } finally {
      target.limit(limit);
    }
  }

  /** The cache's trouble is none of the client's. */
  private void giveUp(IOException cause) throws StorageException {
    if (cause instanceof StorageException failure) {
      throw failure;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw unavailable("interrupted", cause);
    }
    LOG.warn("Giving up {}", entry.file(), cause);
    entries.discard(entry);
    goRemote();
  }

  private void goRemote() throws StorageException {
    counters.passes.increment();
    closeChannel();
    direct = remote.open(new ByteRange(position, range.end() - position));
  }

  private void closeChannel() {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException _) {
        // Nothing was written: the bytes that were delivered are right whatever happens here.
      }
      channel = null;
    }
  }

  private StorageUnavailable unavailable(String detail, @Nullable Throwable cause) {
    return new StorageUnavailable(
        CachingBlobStore.NAME,
        "byte %d of %s of blob %s: %s".formatted(position, range, remote.ref().key(), detail),
        cause);
  }
}

package io.artifactserver.storage.local.mapped;

import io.artifactserver.core.blob.StorageException;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One mapping and the count of its open regions; unmapped when it is retired and the count is zero.
 * Thread-safe.
 */
final class MappedFile {
  private static final Logger LOG = LoggerFactory.getLogger(MappedFile.class);

  private static final int CLOSED = -1;

  /** In bytes. */
  private static final int LOADED_AT_ONCE = 128 * 1024;

  /**
   * How long a file that was whole passes for whole, in nanoseconds. Asking for its size at each
   * request made ranges of 4 KiB slower by 7 %.
   */
  static final long BELIEVED_NANOS = 10_000_000;

  private final String key;
  private final Arena arena;
  private final MappableFile file;
  private final FileChannel channel;
  private final Runnable channelClosed;
  private final MemorySegment bytes;
  private final ResidentBlocks resident;
  private final LongSupplier nanoClock;
  private final AtomicInteger leases = new AtomicInteger();
  private volatile boolean retired;
  private volatile long lastUsed;

  /** When the file was last seen to be whole. */
  private volatile long wasWhole;

  private MappedFile(
      String key,
      Arena arena,
      MappableFile file,
      FileChannel channel,
      Runnable channelClosed,
      MemorySegment bytes,
      LongSupplier nanoClock) {
    this.key = key;
    this.arena = arena;
    this.file = file;
    this.channel = channel;
    this.channelClosed = channelClosed;
    this.bytes = bytes;
    this.resident = new ResidentBlocks(bytes, nanoClock);
    this.nanoClock = nanoClock;
    this.lastUsed = nanoClock.getAsLong();
    this.wasWhole = lastUsed;
  }

  /**
   * Opens the file, and maps all of it.
   *
   * @param descriptors one for each file that stays open. There may be as many mappings as there
   *     are clients: without one left, the file is closed, and its bytes are sent from the mapping.
   */
  static MappedFile map(
      String key, MappableFile file, Semaphore descriptors, LongSupplier nanoClock)
      throws StorageException, IOException {
    FileChannel channel = file.openForMapping();
    Arena arena = Arena.ofShared();
    try {
      MemorySegment bytes = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
      boolean staysOpen = descriptors.tryAcquire();
      if (!staysOpen) {
        channel.close();
      }
      Runnable closed = staysOpen ? descriptors::release : () -> {};
      return new MappedFile(key, arena, file, channel, closed, bytes, nanoClock);
    } catch (IOException | RuntimeException e) {
      arena.close();
      channel.close();
      throw e;
    }
  }

  String key() {
    return key;
  }

  MemorySegment bytes() {
    return bytes;
  }

  /**
   * Has the kernel send bytes, if the file is open. A thread that is interrupted in it closes the
   * channel for everybody: from then on the bytes are written from the mapping.
   */
  long transferTo(long position, int length, WritableByteChannel target) throws IOException {
    if (channel.isOpen()) {
      try {
        long sent = channel.transferTo(position, length, target);
        if (sent == 0 && length > 0 && channel.size() <= position) {
          // The sender takes 0 for a socket that is full, and would try again for ever.
          throw shorter();
        }
        return sent;
      } catch (ClosedChannelException e) {
        if (channel.isOpen() || !target.isOpen()) {
          throw e;
        }
      }
    }
    return target.write(bytes.asSlice(position, length).asByteBuffer());
  }

  /** See {@link MappedRegion#requireWhole}. One that had to be closed is not looked at. */
  void requireWhole() throws StorageException {
    long now = nanoClock.getAsLong();
    if (now - wasWhole < BELIEVED_NANOS) {
      return;
    }
    try {
      if (channel.isOpen() && channel.size() < bytes.byteSize()) {
        throw shorter();
      }
      wasWhole = now;
    } catch (ClosedChannelException _) {
      // An interrupted thread closed it for everybody, just now.
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw file.unavailable(e);
    }
  }

  private StorageException shorter() {
    return file.unavailable(new EOFException("the file of " + key + " is shorter than it was"));
  }

  /**
   * Reads bytes into the page cache; the copy is thrown away. A thread that touches a mapped page
   * holds up every pause of the collector until the disk has answered, and with it all threads; one
   * that reads a file does not.
   */
  void load(long position, int length) {
    ByteBuffer copy = ByteBuffer.allocate(Math.min(length, LOADED_AT_ONCE));
    long end = position + length;
    long loaded = position;
    try {
      while (loaded < end) {
        copy.clear().limit((int) Math.min(copy.capacity(), end - loaded));
        int count = channel.read(copy, loaded);
        if (count < 0) {
          break;
        }
        loaded += count;
      }
    } catch (IOException e) {
      LOG.debug("Cannot read {} at {}: its pages are touched", key, loaded, e);
    }
    if (loaded < end) {
      // An interrupted thread closed the channel; or the disk failed or the file is shorter than it
      // was, and then this fails too.
      bytes.asSlice(loaded, end - loaded).load();
    }
  }

  ResidentBlocks resident() {
    return resident;
  }

  long lastUsed() {
    return lastUsed;
  }

  void touch(long now) {
    lastUsed = now;
  }

  boolean isUnused() {
    return leases.get() == 0;
  }

  /** Returns whether the mapping is open, and keeps it so until {@link #release()}. */
  boolean lease() {
    int count;
    do {
      count = leases.get();
      if (count == CLOSED) {
        return false;
      }
    } while (!leases.compareAndSet(count, count + 1));
    return true;
  }

  /** Returns whether this was the last lease. */
  boolean release() {
    boolean last = leases.decrementAndGet() == 0;
    if (last && retired) {
      boolean _ = closeIfUnused();
    }
    return last;
  }

  /** No further lease is wanted: closes now or at the last release. */
  void retire() {
    retired = true;
    boolean _ = closeIfUnused();
  }

  /** Returns whether the mapping is closed now. */
  boolean closeIfUnused() {
    if (!leases.compareAndSet(0, CLOSED)) {
      return leases.get() == CLOSED;
    }
    try {
      arena.close();
    } catch (IllegalStateException e) {
      // Native code reads the mapping at this moment. The thread that ends its lease must go on.
      LOG.error("The mapping of {} stays until the process ends", key, e);
    } finally {
      closeChannel();
      file.unmapped();
    }
    return true;
  }

  private void closeChannel() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("Cannot close the file of {}", key, e);
    }
    channelClosed.run();
  }
}

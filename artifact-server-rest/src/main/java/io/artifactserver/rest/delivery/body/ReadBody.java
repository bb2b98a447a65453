package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A body read through one pooled buffer, for blobs that do not lie verbatim in a local file. The
 * next piece is read when the connection has taken the last: a slow client holds one small buffer
 * and no thread. Ranges that are neighbours are read in one run.
 */
public final class ReadBody implements BodySource {
  /** The length of a large buffer, in bytes: as long as the segments of encrypted blobs. */
  static final int LARGE_LENGTH = 64 * 1024;

  /** The length of a small buffer, in bytes. */
  static final int SMALL_LENGTH = 8 * 1024;

  /**
   * How long a piece may open further runs, in nanoseconds. One of tiny ranges may have 600 of
   * them, and each takes a segment to decrypt, or a request to the bucket: others get the thread
   * between.
   */
  static final long MAX_OPENING_NANOS = 5_000_000;

  private final Blob blob;
  private final Iterator<BodyPart> parts;
  private final ByteBufferPool pool;
  private final Semaphore largeBuffers;
  private RetainableByteBuffer.@Nullable Mutable buffer;
  private boolean isLarge;
  private boolean isSlow;
  private final Iterator<Run> runs;
  private @Nullable ByteRange first;

  /** Ranges that are still to come of the run that is being read, and where its next byte is. */
  private int rangesOfRun;

  private long position;

  /** Bytes of the run before the range, which nobody asked for. */
  private long gap;

  private @Nullable RangeReader reader;
  private @Nullable ByteBuffer framing;
  private long remaining;
  private boolean isReady;

  /**
   * @param runs of the stored parts
   * @param parts at least one of them stored
   * @param largeBuffers how many bodies may have a large buffer at a time: enough for all that are
   *     written at full speed, and a bound on what thousands of slow clients, each in the middle of
   *     a piece, can hold; the others get small ones
   */
  public ReadBody(
      Blob blob,
      List<Run> runs,
      Iterator<BodyPart> parts,
      ByteBufferPool pool,
      Semaphore largeBuffers) {
    this.blob = blob;
    this.runs = runs.iterator();
    this.parts = parts;
    this.pool = pool;
    this.largeBuffers = largeBuffers;
    while (first == null && parts.hasNext()) {
      switch (parts.next()) {
        case BodyPart.Framing(ByteBuffer bytes) -> framing = bytes;
        case BodyPart.Stored(ByteRange range) -> {
          first = nextRun();
          beginRange(range);
        }
      }
    }
  }

  /**
   * Opens the first range. Waits as {@link Blob#waitToOpen} says. Comes before anything else but
   * {@link #close}.
   */
  public void open() throws StorageException {
    if (first != null) {
      reader = blob.open(first);
    }
  }

  @Override
  public boolean hasNext() {
    return isReady || hasMore();
  }

  @Override
  public boolean isReady() {
    return isReady;
  }

  @Override
  public Wait waitToPrepare() {
    Wait wait = reader == null ? blob.waitToOpen() : reader.waitToRead(nextLength());
    // Where the next of several ranges is opened, its reader may wait.
    return parts.hasNext() ? wait.and(Wait.REMOTE) : wait;
  }

  @Override
  public void prepare() throws StorageException {
    ByteBuffer bytes = buffer().clear();
    long begin = System.nanoTime();
    while (bytes.hasRemaining() && hasMore()) {
      if (framing != null) {
        if (framing.remaining() > bytes.remaining()) {
          break;
        }
        bytes.put(framing);
        framing = null;
      } else if (reader != null && remaining > 0) {
        if (bytes.position() > 0 && shouldWait(reader, bytes.remaining())) {
          break;
        }
        if (gap > 0) {
          passGap(reader, bytes);
        } else {
          remaining -= readUpTo(reader, bytes, remaining);
        }
        if (remaining == 0 && rangesOfRun == 0) {
          closeReader();
        }
      } else if (rangesOfRun == 0
          && bytes.position() > 0
          && System.nanoTime() - begin > MAX_OPENING_NANOS) {
        break;
      } else {
        advance();
      }
    }
    bytes.flip();
    isReady = true;
  }

  @Override
  public ByteBuffer next(long most) {
    ByteBuffer bytes = buffer();
    if (bytes.remaining() > most) {
      ByteBuffer piece = bytes.slice(bytes.position(), (int) most);
      bytes.position(bytes.position() + (int) most);
      return piece;
    }
    isReady = false;
    return bytes;
  }

  @Override
  public void rest() {
    if (reader != null) {
      reader.rest();
    }
  }

  @Override
  public void slowDown() {
    isSlow = true;
    if (isLarge && !isReady) {
      releaseBuffer();
    }
  }

  @Override
  public void close() {
    closeReader();
    releaseBuffer();
  }

  /**
   * Whether to read later. Bytes that do not fit would occupy a second buffer until the client has
   * taken the first, and this may be a thread that must not wait for a disk.
   */
  private boolean shouldWait(RangeReader next, int room) {
    return (room < Math.min(gap + remaining, blob.pieceLength()))
        || next.waitToRead((int) Math.min(gap + remaining, room)) == Wait.DISK;
  }

  private int nextLength() {
    return (int) Math.min(gap + remaining, isSlow ? SMALL_LENGTH : LARGE_LENGTH);
  }

  private ByteBuffer buffer() {
    if (buffer == null) {
      isLarge = !isSlow && largeBuffers.tryAcquire();
      buffer = pool.acquire(isLarge ? LARGE_LENGTH : SMALL_LENGTH, true);
    }
    return buffer.getByteBuffer();
  }

  private void releaseBuffer() {
    if (buffer != null) {
      buffer.release();
      buffer = null;
    }
    if (isLarge) {
      isLarge = false;
      largeBuffers.release();
    }
  }

  private boolean hasMore() {
    return framing != null || remaining > 0 || parts.hasNext();
  }

  private void advance() throws StorageException {
    switch (parts.next()) {
      case BodyPart.Framing(ByteBuffer bytes) -> framing = bytes;
      case BodyPart.Stored(ByteRange range) -> {
        if (rangesOfRun == 0) {
          closeReader();
          reader = blob.open(nextRun());
        }
        beginRange(range);
      }
    }
  }

  private ByteRange nextRun() {
    Run run = runs.next();
    rangesOfRun = run.ranges();
    position = run.range().position();
    return run.range();
  }

  private void beginRange(ByteRange range) {
    rangesOfRun--;
    gap = range.position() - position;
    remaining = range.length();
  }

  /** The run goes on behind the range, so no more than it is taken. */
  private int readUpTo(RangeReader from, ByteBuffer bytes, long most) throws StorageException {
    int limit = bytes.limit();
    bytes.limit((int) Math.min(limit, bytes.position() + most));
    int length = from.read(bytes);
    bytes.limit(limit);
    if (length < 0) {
      // A reader that breaks its contract must neither loop nor make a short body look whole.
      throw new StorageException.BlobCorrupt(
          "open", blob.ref(), most + " bytes of a range are missing", null);
    }
    position += length;
    return length;
  }

  /** Reads where the range's bytes will come to lie. */
  private void passGap(RangeReader from, ByteBuffer bytes) throws StorageException {
    int begin = bytes.position();
    gap -= readUpTo(from, bytes, gap);
    bytes.position(begin);
  }

  private void closeReader() {
    if (reader != null) {
      reader.close();
      reader = null;
    }
  }
}

package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.rest.server.engine.FileSender;
import java.nio.ByteBuffer;
import java.util.Iterator;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A body from mapped file pages: a plain range goes out as slices of the mapping, uncopied; the
 * framing and the parts that fit beside it are gathered in one pooled buffer, because a packet a
 * part would cost more than the copy.
 */
public final class MappedBody implements BodySource {
  /** A slice is checked for residency just before it is sent; larger ones would be checked late. */
  public static final int MAX_SLICE = 4 * 1024 * 1024;

  /**
   * For a slow connection: it may take a minute over each slice, and what it has not taken yet may
   * lose its pages meanwhile.
   */
  static final int SLOW_SLICE = 128 * 1024;

  /** Read ahead from a cold disk at once: short enough that a slow disk still shows progress. */
  static final int COLD_SLICE = 1024 * 1024;

  /** Shorter slices go out with the head in one system call, which is worth more than the copy. */
  static final int MIN_SENDFILE = 64 * 1024;

  private static final int GATHER_LENGTH = 64 * 1024;

  private final FileRegion region;
  private final long origin;
  private final Iterator<BodyPart> parts;
  private final ByteBufferPool pool;
  private final FileSender sender;
  private RetainableByteBuffer.@Nullable Mutable gathered;
  private @Nullable ByteBuffer framing;
  private long offset;
  private long remaining;
  private int loaded;
  private int maxSlice = MAX_SLICE;

  /**
   * Takes over the region.
   *
   * @param origin position of the region in the blob
   * @param sender of the connection
   */
  public MappedBody(
      FileRegion region,
      long origin,
      Iterator<BodyPart> parts,
      ByteBufferPool pool,
      FileSender sender) {
    this.region = region;
    this.origin = origin;
    this.parts = parts;
    this.pool = pool;
    this.sender = sender;
    advance();
  }

  @Override
  public boolean hasNext() {
    return framing != null || remaining > 0;
  }

  @Override
  public boolean isReady() {
    return framing != null || loaded > 0 || region.isResident(offset, sliceLength());
  }

  /** Asked when the pages are not in memory. */
  @Override
  public Wait waitToPrepare() {
    return Wait.DISK;
  }

  @Override
  public void prepare() {
    int length = (int) Math.min(remaining, COLD_SLICE);
    region.load(offset, length);
    // Not asked again before it is sent: a system short of memory could evict it for ever.
    loaded = length;
  }

  @Override
  public ByteBuffer next(long most) throws StorageException {
    if (framing != null) {
      ByteBuffer bytes = gather((int) Math.min(most, GATHER_LENGTH));
      region.requireWhole();
      return bytes;
    }
    ByteBuffer slice = region.slice(offset, (int) Math.min(most, sliceLength()));
    region.requireWhole();
    if (slice.remaining() >= MIN_SENDFILE) {
      sender.next(region, offset, slice);
    }
    loaded = 0;
    consume(slice.remaining());
    return slice;
  }

  /** Gathered bytes are on their way, and a region takes no memory. */
  @Override
  public void rest() {}

  @Override
  public void slowDown() {
    maxSlice = SLOW_SLICE;
  }

  @Override
  public void close() {
    sender.forget();
    region.close();
    if (gathered != null) {
      gathered.release();
      gathered = null;
    }
  }

  private int sliceLength() {
    return (int) Math.min(loaded > 0 ? loaded : remaining, maxSlice);
  }

  private ByteBuffer gather(int most) {
    if (gathered == null) {
      gathered = pool.acquire(GATHER_LENGTH, true);
    }
    ByteBuffer buffer = gathered.getByteBuffer();
    buffer.clear().limit(most);
    while (hasNext()) {
      if (framing != null) {
        if (framing.remaining() > buffer.remaining()) {
          if (buffer.position() == 0) {
            buffer.put(framing.slice(framing.position(), most));
            framing.position(framing.position() + most);
          }
          break;
        }
        buffer.put(framing);
        framing = null;
        advance();
      } else {
        if (remaining > buffer.remaining() || !region.isResident(offset, (int) remaining)) {
          break;
        }
        int length = (int) remaining;
        buffer.put(region.slice(offset, length));
        consume(length);
      }
    }
    return buffer.flip();
  }

  private void consume(int length) {
    offset += length;
    remaining -= length;
    if (remaining == 0) {
      advance();
    }
  }

  private void advance() {
    if (parts.hasNext()) {
      switch (parts.next()) {
        case BodyPart.Framing(ByteBuffer bytes) -> framing = bytes;
        case BodyPart.Stored(var range) -> {
          offset = range.position() - origin;
          remaining = range.length();
        }
      }
    }
  }
}

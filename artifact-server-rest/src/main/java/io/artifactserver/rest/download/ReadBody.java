package io.artifactserver.rest.download;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Iterator;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A body read through one pooled buffer, for blobs that do not lie verbatim in a local file. The
 * next piece is read when the connection has taken the last: a slow client holds one buffer and no
 * thread.
 */
final class ReadBody implements BodySource {
  static final int BUFFER_LENGTH = 64 * 1024;

  private final Blob blob;
  private final Iterator<BodyPart> parts;
  private final RetainableByteBuffer.Mutable buffer;
  private @Nullable RangeReader reader;
  private @Nullable ByteBuffer framing;
  private long remaining;
  private boolean isReady;

  /** Opens the first range, so that a failure is known before anything is sent. Blocks. */
  ReadBody(Blob blob, Iterator<BodyPart> parts, ByteBufferPool pool) throws StorageException {
    this.blob = blob;
    this.parts = parts;
    this.buffer = pool.acquire(BUFFER_LENGTH, true);
    try {
      prepare();
    } catch (StorageException | RuntimeException e) {
      close();
      throw e;
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
  public void prepare() throws StorageException {
    ByteBuffer bytes = buffer.getByteBuffer().clear();
    while (bytes.hasRemaining() && hasMore()) {
      if (framing != null) {
        if (framing.remaining() > bytes.remaining()) {
          break;
        }
        bytes.put(framing);
        framing = null;
      } else if (reader != null && remaining > 0) {
        if (bytes.position() > 0 && bytes.remaining() < Math.min(remaining, blob.pieceLength())) {
          // What does not fit would occupy a second buffer until the client has taken the first.
          break;
        }
        int length = reader.read(bytes);
        if (length < 0) {
          // A reader that breaks its contract must neither loop nor make a short body look whole.
          throw new StorageException.BlobCorrupt(
              "open", blob.ref(), remaining + " bytes of a range are missing", null);
        }
        remaining -= length;
        if (remaining == 0) {
          closeReader();
        }
      } else {
        advance();
      }
    }
    bytes.flip();
    isReady = true;
  }

  @Override
  public ByteBuffer next() {
    isReady = false;
    return buffer.getByteBuffer();
  }

  @Override
  public void close() {
    closeReader();
    buffer.release();
  }

  private boolean hasMore() {
    return framing != null || remaining > 0 || parts.hasNext();
  }

  private void advance() throws StorageException {
    switch (parts.next()) {
      case BodyPart.Framing(ByteBuffer bytes) -> framing = bytes;
      case BodyPart.Stored(ByteRange range) -> {
        reader = blob.open(range);
        remaining = range.length();
      }
    }
  }

  private void closeReader() {
    if (reader != null) {
      reader.close();
      reader = null;
    }
  }
}

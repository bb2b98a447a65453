package io.artifactserver.storage.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.Abortable;

/** A body as the SDK has it. Used by one thread at a time. */
final class StreamBody implements AnswerBody {
  /** Of what is read at once for a buffer that is not on the heap, in bytes. */
  private static final int MAX_COPIED = 64 * 1024;

  private final InputStream stream;
  private final Abortable connection;
  private byte @Nullable [] copied;

  StreamBody(InputStream stream, Abortable connection) {
    this.stream = stream;
    this.connection = connection;
  }

  @Override
  public int read(ByteBuffer target, int maxLength) throws IOException {
    if (target.hasArray()) {
      int length = stream.read(target.array(), target.arrayOffset() + target.position(), maxLength);
      target.position(target.position() + Math.max(0, length));
      return length;
    }
    int wanted = Math.min(maxLength, MAX_COPIED);
    if (copied == null || copied.length < wanted) {
      copied = new byte[wanted];
    }
    int length = stream.read(copied, 0, wanted);
    target.put(copied, 0, Math.max(0, length));
    return length;
  }

  @Override
  public void finish() throws IOException {
    if (stream.read() >= 0) {
      throw new IOException("there are more bytes than were asked for");
    }
    stream.close();
  }

  @Override
  public void abort() {
    // Closing it would read the rest of the body.
    connection.abort();
  }
}

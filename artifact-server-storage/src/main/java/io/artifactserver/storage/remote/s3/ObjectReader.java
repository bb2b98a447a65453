package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * One range of an object, read straight from the answer to a GET. When an answer breaks off, the
 * reader asks for the missing bytes. Used by one thread at a time.
 */
final class ObjectReader implements RangeReader {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectReader.class);

  /** Most bytes read at once for a buffer that is not on the heap. */
  private static final int MAX_COPIED = 64 * 1024;

  private final ObjectFetch object;
  private final Attempts attempts;

  /** The bytes that are not delivered yet. */
  private ByteRange missing;

  private @Nullable ResponseInputStream<GetObjectResponse> answer;
  private byte @Nullable [] copied;
  private boolean isClosed;

  /**
   * Waits until the answer begins.
   *
   * @param range not empty
   */
  ObjectReader(ObjectFetch object, ByteRange range, Attempts attempts) throws StorageException {
    this.object = object;
    this.attempts = attempts;
    this.missing = range;
    this.answer = object.get(range, attempts);
  }

  @Override
  public int read(ByteBuffer target) throws StorageException {
    if (isClosed) {
      throw new IllegalStateException("The reader is closed");
    }
    if (missing.isEmpty()) {
      return -1;
    }
    int position = target.position();
    while (true) {
      ResponseInputStream<GetObjectResponse> current = answer;
      if (current == null) {
        current = object.get(missing, attempts);
        answer = current;
      }
      try {
        int length = receive(current, target);
        if (length == missing.length()) {
          finish(current);
        }
        missing = new ByteRange(missing.position() + length, missing.length() - length);
        return length;
      } catch (IOException e) {
        target.position(position);
        brokeOff(e);
      } catch (SdkException e) {
        // The SDK says so when the thread is interrupted.
        throw object.failed(missing, e);
      }
    }
  }

  @Override
  public Wait waitToRead(int length) {
    return Wait.REMOTE;
  }

  @Override
  public boolean isOpen() {
    return !isClosed;
  }

  @Override
  public void close() {
    isClosed = true;
    abort();
  }

  private int receive(ResponseInputStream<?> body, ByteBuffer target) throws IOException {
    int wanted = (int) Math.min(missing.length(), target.remaining());
    int length;
    if (target.hasArray()) {
      length = body.read(target.array(), target.arrayOffset() + target.position(), wanted);
      target.position(target.position() + Math.max(0, length));
    } else {
      byte[] bytes = copied;
      if (bytes == null) {
        bytes = new byte[(int) Math.min(missing.length(), MAX_COPIED)];
        copied = bytes;
      }
      length = body.read(bytes, 0, Math.min(wanted, bytes.length));
      target.put(bytes, 0, Math.max(0, length));
    }
    if (length < 0) {
      throw new IOException(missing.length() + " bytes are missing at the end");
    }
    return length;
  }

  /** Reads to the end of the answer, so that its connection serves the next request. */
  private void finish(ResponseInputStream<?> body) throws IOException {
    if (body.read() >= 0) {
      throw new IOException("there are more bytes than were asked for");
    }
    body.close();
    answer = null;
  }

  private void brokeOff(IOException cause) throws StorageException {
    abort();
    if (!attempts.pauseBeforeNext(cause)) {
      throw new StorageException.StorageUnavailable(
          S3BlobStore.NAME,
          "blob %s broke off at byte %d: %s"
              .formatted(object.ref().key(), missing.position(), cause.getMessage()),
          cause);
    }
    LOG.debug("Blob {} broke off before {}", object.ref().key(), missing, cause);
  }

  /** Gives up the connection: closing the body would read the rest of it. */
  private void abort() {
    if (answer != null) {
      answer.abort();
      answer = null;
    }
  }
}

package io.artifactserver.storage.s3;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * One range of an object, read straight from the answer to a GET. An answer that breaks off is
 * asked for again from where it broke. Used by one thread at a time.
 */
final class ObjectReader implements RangeReader {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectReader.class);

  /** The first one included; each must bring a byte, or waits longer. */
  private static final int MAX_ATTEMPTS = 5;

  private static final int FIRST_PAUSE_MILLIS = 50;

  private final ObjectFetch object;

  /** What is not delivered yet. */
  private ByteRange missing;

  /** A request whose answer nobody has waited for yet. */
  private PresignedGets.@Nullable Sent sent;

  private @Nullable ObjectAnswer answer;
  private int attempt = 1;

  /** Whether the answer has brought a byte. */
  private boolean hasBegun;

  private boolean isClosed;

  /**
   * Waits until the answer begins.
   *
   * @param range not empty
   */
  ObjectReader(ObjectFetch object, ByteRange range) throws StorageException {
    this.object = object;
    this.missing = range;
    try {
      this.answer = object.get(range);
    } catch (SdkException e) {
      throw object.failed(range, e);
    }
  }

  /**
   * Waits for nothing: the first read waits until the answer begins.
   *
   * @param range not empty
   * @param sent the request for it; taken over
   */
  ObjectReader(ObjectFetch object, ByteRange range, PresignedGets.Sent sent) {
    this.object = object;
    this.missing = range;
    this.sent = sent;
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
      try {
        int length = receive(target);
        if (length == missing.length()) {
          finish();
        }
        missing = new ByteRange(missing.position() + length, missing.length() - length);
        return length;
      } catch (StorageException e) {
        throw e;
      } catch (IOException e) {
        target.position(position);
        askAgain(e);
      } catch (SdkException e) {
        throw object.failed(missing, e);
      }
    }
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

  private int receive(ByteBuffer target) throws IOException {
    if (sent != null) {
      PresignedGets.Sent awaited = sent;
      sent = null;
      answer = object.get(missing, awaited);
    } else if (answer == null) {
      answer = object.get(missing);
    }
    int length = answer.body().read(target, (int) Math.min(missing.length(), target.remaining()));
    if (length < 0) {
      throw new IOException(missing.length() + " bytes are missing at the end");
    }
    hasBegun |= length > 0;
    return length;
  }

  /** Reads to the end of the answer, so that its connection serves the next request. */
  private void finish() throws IOException {
    if (answer != null) {
      answer.body().finish();
      answer = null;
    }
  }

  private void askAgain(IOException cause) throws StorageException {
    abort();
    if (attempt == MAX_ATTEMPTS || Thread.currentThread().isInterrupted()) {
      throw new StorageException.StorageUnavailable(
          S3BlobStore.NAME,
          "blob %s broke off %d times, last at %d: %s"
              .formatted(object.ref().key(), attempt, missing.position(), cause.getMessage()),
          cause);
    }
    LOG.debug("Blob {} broke off before {}", object.ref().key(), missing, cause);
    if (!hasBegun) {
      pause();
    }
    attempt++;
    hasBegun = false;
  }

  private void pause() throws StorageException {
    try {
      int millis = FIRST_PAUSE_MILLIS << attempt;
      Thread.sleep(ThreadLocalRandom.current().nextInt(millis / 2, millis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException.StorageUnavailable(
          S3BlobStore.NAME, "the read of blob %s was cancelled".formatted(object.ref().key()), e);
    }
  }

  private void abort() {
    if (sent != null) {
      sent.abort();
      sent = null;
    }
    if (answer != null) {
      answer.body().abort();
      answer = null;
    }
  }
}

package io.artifactserver.rest.download;

import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one body as the connection takes it. Whatever blocks runs on the executor; the connection's
 * thread only ever hands over bytes that are there. A failure in mid-body fails the callback, upon
 * which Jetty cuts the connection: a short body must never look whole.
 */
final class Transfer extends IteratingCallback {
  private static final Logger LOG = LoggerFactory.getLogger(Transfer.class);

  private final Response response;
  private final Callback callback;
  private final BodySource source;
  private final Executor blocking;
  private final TransferOutcome.Kind kind;
  private final TransferObserver observer;
  private final long startNanos = System.nanoTime();
  private boolean isLastWritten;
  private int writing;
  private long sent;

  Transfer(
      Response response,
      Callback callback,
      BodySource source,
      Executor blocking,
      TransferOutcome.Kind kind,
      TransferObserver observer) {
    this.response = response;
    this.callback = callback;
    this.source = source;
    this.blocking = blocking;
    this.kind = kind;
    this.observer = observer;
  }

  @Override
  protected Action process() {
    sent += writing;
    writing = 0;
    if (isLastWritten) {
      return Action.SUCCEEDED;
    }
    if (!source.isReady()) {
      blocking.execute(this::prepare);
      return Action.SCHEDULED;
    }
    ByteBuffer piece = source.next();
    writing = piece.remaining();
    isLastWritten = !source.hasNext();
    response.write(isLastWritten, piece, this);
    return Action.SCHEDULED;
  }

  @Override
  protected void onCompleteSuccess() {
    end(TransferOutcome.Ending.COMPLETE);
    callback.succeeded();
  }

  @Override
  protected void onCompleteFailure(Throwable cause) {
    if (cause instanceof StorageException || cause instanceof RuntimeException) {
      if (cause instanceof StorageException.BlobCorrupt damage) {
        observer.damaged(damage);
      } else {
        LOG.error("A download was cut off after {} bytes", sent, cause);
      }
      end(TransferOutcome.Ending.FAILED);
    } else {
      LOG.debug("A client went away after {} bytes", sent, cause);
      end(TransferOutcome.Ending.ABORTED);
    }
    callback.failed(cause);
  }

  private void prepare() {
    try {
      source.prepare();
      succeeded();
    } catch (StorageException | RuntimeException e) {
      failed(e);
    }
  }

  private void end(TransferOutcome.Ending ending) {
    source.close();
    Duration duration = Duration.ofNanos(System.nanoTime() - startNanos);
    observer.transferred(new TransferOutcome(kind, ending, sent, duration));
  }
}

package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.rest.log.FailureLog;
import io.artifactserver.rest.server.engine.Http2Connections;
import io.artifactserver.rest.server.guard.Pace;
import io.artifactserver.rest.server.guard.PacedBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one body as the connection takes it. Work that blocks runs on an executor; the connection's
 * thread only ever hands over bytes that are there. A failure in mid-body fails the callback, upon
 * which Jetty cuts the connection: a short body must never look whole.
 */
public final class Transfer extends IteratingCallback implements PacedBody {
  private static final Logger LOG = LoggerFactory.getLogger(Transfer.class);
  private static final FailureLog FAILURES = new FailureLog(LOG);

  /** A connection that takes longer over one piece is slow. */
  private static final long SLOW_NANOS = 100_000_000;

  /**
   * Made and sent by the thread that has just sent another, when they are in memory; then it is the
   * turn of others. A segment of an encrypted blob, which is decrypted as a whole, is several small
   * pieces: eight of them in a turn cost slow readers half the processor time of one. At full speed
   * it makes no difference.
   */
  private static final int MAX_PIECES_IN_TURN = 8;

  private final Response response;
  private final Callback callback;
  private final BodySource source;
  private final Pace pace;
  private final Throttle throttle;
  private final WaitingThreads threads;
  private final TransferOutcome.Kind kind;
  private final TransferObserver observer;
  private final Written written = new Written();
  private final long startNanos = System.nanoTime();
  private boolean isLastWritten;

  /** How many pieces were made without anybody else having had a turn. */
  private int piecesInTurn;

  private int writing;
  private long sent;
  private long waitingSince;

  /** Bytes that may be sent without asking. */
  private long granted;

  /** Whether the body had to wait for its limit since the sweep last asked. */
  private volatile boolean wasThrottled;

  /**
   * @param pace told of the transfer when the connection does not take it at once
   * @param throttle asked before each piece
   * @param threads for what waits
   */
  public Transfer(
      Response response,
      Callback callback,
      BodySource source,
      Pace pace,
      Throttle throttle,
      WaitingThreads threads,
      TransferOutcome.Kind kind,
      TransferObserver observer) {
    this.response = response;
    this.callback = callback;
    this.source = source;
    this.pace = pace;
    this.throttle = throttle;
    this.threads = threads;
    this.kind = kind;
    this.observer = observer;
  }

  @Override
  protected Action process() throws IOException {
    sent += writing;
    writing = 0;
    if (isLastWritten) {
      return Action.SUCCEEDED;
    }
    if (waitingSince != 0) {
      if (System.nanoTime() - waitingSince > SLOW_NANOS) {
        source.slowDown();
      }
      waitingSince = 0;
    }
    if (granted == 0) {
      boolean isHeldBack = throttle.holdsBack();
      if (isHeldBack) {
        // It may wait, and whoever wakes it goes on at once.
        source.slowDown();
        source.rest();
        piecesInTurn = 0;
        Http2Connections.hold(response.getRequest());
      }
      long now = throttle.take(left(), this::goOn);
      if (now == 0) {
        observer.waiting(this, startNanos);
        return Action.SCHEDULED;
      }
      if (isHeldBack) {
        Http2Connections.release(response.getRequest());
      }
      granted = now;
    }
    if (!source.isReady()) {
      Wait wait = source.waitToPrepare();
      if (!prepareHere(wait)) {
        piecesInTurn = 0;
        // It may have to queue behind thousands of others, each of which holds what it holds.
        source.rest();
        threads.read(wait.and(Wait.REMOTE), this::prepare);
        return Action.SCHEDULED;
      }
    }
    ByteBuffer piece = source.next(granted);
    writing = piece.remaining();
    granted = granted == Throttle.ANY ? 0 : granted - writing;
    isLastWritten = !source.hasNext();
    written.length = writing;
    written.piece = piece;
    written.isPending = true;
    response.write(isLastWritten, piece, written);
    if (written.isPending) {
      // Nobody else runs this method, or the source's, before it returns.
      waitingSince = System.nanoTime();
      piecesInTurn = 0;
      source.rest();
      pace.watch(this);
      throttle.watch(this);
      observer.waiting(this, startNanos);
    }
    return Action.SCHEDULED;
  }

  /** How much of the body has not been sent. */
  private long left() {
    return Math.max(1, response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH) - sent);
  }

  /** The body had to wait for its limit. */
  private void goOn(long bytes) {
    granted = bytes;
    wasThrottled = true;
    Http2Connections.release(response.getRequest());
    succeeded();
  }

  @Override
  protected void onCompleteSuccess() {
    end(TransferOutcome.Ending.COMPLETE);
    callback.succeeded();
  }

  @Override
  protected void onCompleteFailure(Throwable cause) {
    TransferOutcome.Ending ending = ending(cause);
    if (ending == TransferOutcome.Ending.ABORTED) {
      LOG.debug("A client went away after {} bytes", sent, cause);
    } else {
      if (cause instanceof StorageException.BlobLost loss) {
        observer.lost(loss);
      }
      if (!(cause instanceof StorageException.BlobCorrupt)) {
        FAILURES.failed("A download was cut off after " + sent + " bytes", cause);
      }
    }
    end(ending);
    // It was told above, once for many: Jetty would log the stack of each.
    callback.failed(
        ending == TransferOutcome.Ending.FAILED ? new QuietException.Exception(cause) : cause);
  }

  /** The side at fault for a failure. */
  public static TransferOutcome.Ending ending(Throwable cause) {
    boolean isOurs =
        cause instanceof StorageException
            || cause instanceof RuntimeException
            || cause instanceof Error;
    return isOurs ? TransferOutcome.Ending.FAILED : TransferOutcome.Ending.ABORTED;
  }

  /** Returns false if the next piece is for another thread, or for another turn. */
  @SuppressWarnings("ThreadPriorityCheck") // Nothing depends on the yield but who is next.
  private boolean prepareHere(Wait wait) throws StorageException {
    if (ReadThreads.isCurrent() && wait != Wait.DISK) {
      // It made the last piece, and is there to wait for the next.
      if (piecesInTurn == MAX_PIECES_IN_TURN) {
        piecesInTurn = 0;
        Thread.yield();
      }
    } else if (piecesInTurn == MAX_PIECES_IN_TURN || wait != Wait.NONE) {
      return false;
    }
    piecesInTurn++;
    source.prepare();
    return true;
  }

  private void prepare() {
    try {
      source.prepare();
      succeeded();
    } catch (StorageException | RuntimeException | Error e) {
      // An Error too: a page that the disk does not deliver is one, and so is a lack of buffers.
      failed(e);
    }
  }

  @Override
  public long taken() {
    // Read first: a thread that sees that a piece is pending sees what was sent before it.
    boolean isPending = written.isPending;
    ByteBuffer piece = written.piece;
    return sent
        + (isPending && piece != null ? Math.max(0, written.length - piece.remaining()) : 0);
  }

  @Override
  public boolean isPending() {
    return written.isPending;
  }

  /** A client is not to blame for the time in which the server held its bytes back. */
  @Override
  public boolean isWaitingForClient() {
    boolean isOurs = wasThrottled;
    wasThrottled = false;
    return written.isPending && !isOurs;
  }

  private void end(TransferOutcome.Ending ending) {
    pace.forget(this);
    source.close();
    Duration duration = Duration.ofNanos(System.nanoTime() - startNanos);
    observer.transferred(new TransferOutcome(kind, ending, sent, duration));
  }

  /** Learns that the connection took a piece; without a hop, since what follows does not block. */
  private final class Written implements Callback {
    private volatile boolean isPending;
    private volatile int length;
    private volatile @Nullable ByteBuffer piece;

    @Override
    public void succeeded() {
      isPending = false;
      Transfer.this.succeeded();
    }

    @Override
    public void failed(Throwable cause) {
      // The client has the part of the piece that it took before it went away.
      sent = taken();
      writing = 0;
      isPending = false;
      Transfer.this.failed(cause);
    }

    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }
  }
}

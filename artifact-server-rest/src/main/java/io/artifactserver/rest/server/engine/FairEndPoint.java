package io.artifactserver.rest.server.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.LongSupplier;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose client cannot keep a thread busy by sending on and on, or by reading as fast as
 * the server encrypts. Jetty reads a connection until there is nothing to read, and does what comes
 * in between; with a flood that never ends, everybody else of that thread would wait as long. So
 * once a turn is over, whoever reads is told that nothing more has come, and reads on after the
 * selector has seen to its other connections.
 *
 * <p>A turn may be long all the same: a buffer has room for hundreds of requests. The next turn of
 * such a client is not the selector's, but of the threads for {@link Newcomers}, after all of
 * those.
 *
 * <p>Jetty also writes for as long as the socket takes what comes. After some megabytes whoever
 * writes is told that the socket is full, and writes on when the selector has seen to the others.
 *
 * <p>A connection that ends fails those that wait for its socket at that moment. A wait that begins
 * afterwards fails at once: the selector does not know the socket any more, and a request that
 * waited for it would never end, nor would a graceful stop.
 */
class FairEndPoint extends SocketChannelEndPoint {
  /** Ten times what an ordinary request takes, and what it costs to come again. */
  static final long TURN_NANOS = 200_000;

  /** Longer than an ordinary request, in bytes. */
  static final int PROMPT_LENGTH = 4 * 1024;

  /** Bytes that are written in a turn: a few milliseconds of copying. */
  static final long WRITE_TURN_LENGTH = 16L * 1024 * 1024;

  private final SelectionKey key;
  private final Newcomers newcomers;
  private final LingeringClose lingering;
  private final LongSupplier nanoTime;

  private volatile boolean isTrusted;

  /** Whether the client has closed its side, so that nothing more comes. */
  private volatile boolean hasEnded;

  private volatile boolean isClosed;

  /** Whether nothing more is to be read, though the client may send. */
  private volatile boolean isInputOver;

  /** The step that its connection waits for, if any. */
  private volatile Newcomers.@Nullable Step waiting;

  // Only one thread at a time reads, and uses these.
  private long received;
  private long turnEnd;
  private boolean isGreedy;

  /** Since the selector was last asked for room. Used by the thread that writes. */
  private long writtenInTurn;

  FairEndPoint(
      SocketChannel channel,
      ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      Newcomers newcomers,
      LingeringClose lingering) {
    this(channel, selector, key, scheduler, newcomers, lingering, System::nanoTime);
  }

  FairEndPoint(
      SocketChannel channel,
      @Nullable ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      Newcomers newcomers,
      LingeringClose lingering,
      LongSupplier nanoTime) {
    super(channel, selector, key, scheduler);
    this.key = key;
    this.newcomers = newcomers;
    this.lingering = lingering;
    this.nanoTime = nanoTime;
  }

  /** Its client has a token that is good for an upload, and a thread of its own that reads it. */
  void trust() {
    isTrusted = true;
  }

  /**
   * Lets its reader find the end behind what it has read. The socket stays as it is: the client
   * gets its answer, and {@link LingeringClose} reads what it still sends. Any thread may call
   * this; no bytes are read by it.
   */
  void endInput() {
    isInputOver = true;
    boolean _ = getFillInterest().fillable();
  }

  /** Forgets the step when the connection ends. */
  void waitFor(Newcomers.Step step) {
    waiting = step;
  }

  @Override
  public @Nullable Runnable onSelected() {
    boolean wasGreedy = isGreedy;
    isGreedy = false;
    received = 0;
    Runnable task = super.onSelected();
    return wasGreedy && task != null
        ? Invocable.from(Invocable.InvocationType.NON_BLOCKING, () -> newcomers.runLast(this, task))
        : task;
  }

  /**
   * For Jetty it is closed then. {@link LingeringClose} reads the bytes that the client still
   * sends.
   */
  @Override
  public void doClose() {
    isClosed = true;
    if (hasEnded) {
      super.doClose();
    } else {
      key.cancel();
      lingering.close(getChannel());
    }
  }

  @Override
  public boolean isOpen() {
    return !isClosed && super.isOpen();
  }

  @Override
  public void onClose(@Nullable Throwable cause) {
    Newcomers.Step step = waiting;
    if (step != null) {
      step.forget();
    }
    super.onClose(cause);
  }

  /**
   * Returns 0 when the turn is over, too: then the caller waits until there is something to read. A
   * turn begins when more has come than an ordinary request: that one costs nothing here.
   */
  @Override
  public int fill(ByteBuffer buffer) throws IOException {
    if (isInputOver) {
      shutdownInput();
      return -1;
    }
    boolean hasTurn = received > PROMPT_LENGTH;
    if (hasTurn && !isTrusted && nanoTime.getAsLong() - turnEnd > 0) {
      isGreedy = true;
      return 0;
    }
    int filled = super.fill(buffer);
    if (filled < 0) {
      hasEnded = true;
    } else if (filled > 0) {
      received += filled;
      if (!hasTurn && received > PROMPT_LENGTH) {
        turnEnd = nanoTime.getAsLong() + TURN_NANOS;
      }
    }
    return filled;
  }

  @Override
  public boolean flush(ByteBuffer... buffers) throws IOException {
    long length = BufferUtil.remaining(buffers);
    if (isWriteTurnOver(length)) {
      return false;
    }
    boolean isFlushed = super.flush(buffers);
    wrote(length - BufferUtil.remaining(buffers));
    return isFlushed;
  }

  /** The selector tells when the socket has room: a turn begins. */
  @Override
  protected void onIncompleteFlush() {
    beginWriteTurn();
    if (isOpen()) {
      super.onIncompleteFlush();
    } else {
      getWriteFlusher().onFail(closed());
    }
  }

  @Override
  protected void needsFillInterest() {
    if (!isOpen()) {
      getFillInterest().onFail(closed());
    } else if (isInputOver) {
      boolean _ = getFillInterest().fillable();
    } else {
      super.needsFillInterest();
    }
  }

  private static EofException closed() {
    return new EofException("The connection was closed before");
  }

  void beginWriteTurn() {
    writtenInTurn = 0;
  }

  /**
   * Whether it is the others' turn before so many bytes are written. A few bytes may be the last
   * ones, such as TLS's close_notify, for which Jetty does not wait.
   */
  final boolean isWriteTurnOver(long length) {
    return writtenInTurn >= writeTurnLength() && length > PROMPT_LENGTH;
  }

  /** Returns how many bytes this connection may write before others have their turn. */
  long writeTurnLength() {
    return WRITE_TURN_LENGTH;
  }

  /** Counts what was written in this turn. */
  final void wrote(long length) {
    writtenInTurn += length;
  }
}

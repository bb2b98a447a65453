package io.artifactserver.rest.server.engine;

import io.artifactserver.rest.server.guard.Holdings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http2.BufferingFlowControlStrategy;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.HttpStream;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection of HTTP/2: what a client may send on them, and what the server
 * holds for them. A client may send little until an upload of its is accepted; then its windows
 * grow. Frames that come before that are to be read at once: those that wait are counted, however
 * short, because each of them holds a buffer. Thread-safe.
 */
final class Http2Streams extends BufferingFlowControlStrategy
    implements HTTP2Session.FrameListener {
  /** The window of an accepted upload, in bytes: 100 ms at 300 Mbit/s. */
  private static final int UPLOAD_WINDOW = 4 * 1024 * 1024;

  /** Part of a window that may be read before the client is told. */
  private static final float BUFFER_RATIO = 0.5F;

  /** As many as bring a whole window in packets of the usual length, and some more. */
  private static final int MAX_UNREAD_FRAMES = 64;

  /** The window of a client that has an upload accepted: it may be about to begin many. */
  private static final int MAX_UNREAD_FRAMES_OF_UPLOADERS = 16 * MAX_UNREAD_FRAMES;

  /** A client that reads opens its windows by more, in bytes; by less it only asks for work. */
  private static final int MIN_WINDOW_UPDATE = 128;

  /** A stream, what answers it, and a small buffer, in bytes. */
  private static final int STREAM_LENGTH = 8 * 1024;

  /** A connection without a request, in bytes: its parser, its tables, its queues. */
  private static final int SESSION_LENGTH = 8 * 1024;

  /** A field beside its text, in bytes. */
  private static final int FIELD_LENGTH = 64;

  private final Duration maxStall;
  private final Map<Stream, State> states = new ConcurrentHashMap<>();

  /** On all streams that are not accepted. */
  private final AtomicInteger unread = new AtomicInteger();

  private volatile boolean isUploader;
  private Holdings.@Nullable Holding holding;
  private @Nullable FailedWrites failedWrites;
  private int headLength;

  /**
   * @param maxStall for which a client may take nothing of an answer
   */
  Http2Streams(Duration maxStall) {
    super(BUFFER_RATIO);
    this.maxStall = maxStall;
  }

  /**
   * Counts the frames of a connection that ask for work and transfer nothing; beyond {@code
   * maxFrames} a second, the connection ends.
   *
   * <p>Jetty also counts the windows of streams that have ended. A client opens them without fault:
   * it answers each frame of DATA, and the end of its stream is still on the way to it (RFC 9113,
   * section 5.1).
   */
  static RateControl.Factory rateControl(int maxFrames) {
    return new RateControl.Factory() {
      @Override
      public RateControl newRateControl(EndPoint endPoint) {
        RateControl counted = new WindowRateControl(maxFrames, Duration.ofSeconds(1));
        return frame ->
            (frame instanceof WindowUpdateFrame update && !isTooSmall(update))
                || counted.onEvent(frame);
      }
    };
  }

  private static boolean isTooSmall(WindowUpdateFrame update) {
    return update.getWindowDelta() < MIN_WINDOW_UPDATE;
  }

  /**
   * Returns for how long nothing may move on a stream, in milliseconds. A client whose request is
   * whole only reads, and may be slow to do so.
   */
  long idleTimeout(HTTP2Stream stream) {
    return stream.isRemotelyClosed()
        ? maxStall.toMillis()
        : stream.getSession().getStreamIdleTimeout();
  }

  /** To be called once, before anything comes. */
  void open(Holdings.Holding holding, FailedWrites failedWrites) {
    this.holding = holding;
    this.failedWrites = failedWrites;
    holding.add(SESSION_LENGTH);
  }

  /** Delays what fails on a stream of this connection; see {@link PatientStream}. */
  HttpStream patient(HttpStream stream, HTTP2Stream http2) {
    FailedWrites delayed = failedWrites;
    return delayed == null ? stream : new PatientStream(stream, http2, delayed);
  }

  /** Nothing comes any more. */
  void close() {
    if (holding != null) {
      holding.close();
    }
    states.clear();
  }

  /** The stream's client may send as much as its upload needs; tells it so. May be repeated. */
  void accept(HTTP2Session session, Stream stream) {
    State state = states.get(stream);
    if (state != null && state.accept()) {
      isUploader = true;
      unread.addAndGet(-state.forget());
      grow(session, stream, stream.getId(), UPLOAD_WINDOW - getInitialStreamRecvWindow());
      int room = UPLOAD_WINDOW - updateRecvWindow(session, 0);
      if (room > 0) {
        grow(session, null, 0, room);
      }
    }
  }

  @Override
  public void onIncomingFrame(Session session, Frame frame) {
    if (frame instanceof HeadersFrame headers) {
      int length = STREAM_LENGTH;
      for (HttpField field : headers.getMetaData().getHttpFields()) {
        length += FIELD_LENGTH + field.getName().length();
        String value = field.getValue();
        length += value == null ? 0 : value.length();
      }
      // The stream is created next, by this thread.
      headLength = length;
    } else if (frame instanceof WindowUpdateFrame update
        && isTooSmall(update)
        && session instanceof HTTP2Session http2
        && !http2.getParser().rateControlOnEvent(frame)) {
      end(http2, "too_many_window_updates");
    }
  }

  @Override
  public void onStreamCreated(Stream stream) {
    super.onStreamCreated(stream);
    // It is not idle while it waits for a thread: Jetty would answer it, and its handler too.
    stream.setIdleTimeout(0);
    states.put(stream, new State(headLength));
    if (holding != null) {
      holding.add(headLength);
    }
  }

  @Override
  public void onStreamDestroyed(Stream stream) {
    State state = states.remove(stream);
    if (state != null) {
      unread.addAndGet(-state.forget());
      if (holding != null) {
        holding.add(-state.headLength);
      }
    }
    super.onStreamDestroyed(stream);
  }

  @Override
  public void onDataReceived(Session session, @Nullable Stream stream, int length) {
    super.onDataReceived(session, stream, length);
    State state = stream == null ? null : states.get(stream);
    if (state != null
        && length > 0
        && session instanceof HTTP2Session http2
        && state.receive()
        && (isTooMany() || !http2.getParser().rateControlOnEvent(stream))) {
      end(http2, "too_many_data_frames");
    }
  }

  private static void end(HTTP2Session session, String reason) {
    if (session.getEndPoint().getConnection() instanceof HTTP2Connection connection) {
      connection.onConnectionFailure(ErrorCode.ENHANCE_YOUR_CALM_ERROR.code, reason);
    }
  }

  @Override
  public void onDataConsumed(Session session, @Nullable Stream stream, int length) {
    State state = stream == null ? null : states.get(stream);
    // Those of a stream that ends are consumed all at once; its end counts the rest.
    if (state != null && length > 0 && state.consume()) {
      unread.decrementAndGet();
    }
    super.onDataConsumed(session, stream, length);
  }

  private boolean isTooMany() {
    return unread.incrementAndGet()
        > (isUploader ? MAX_UNREAD_FRAMES_OF_UPLOADERS : MAX_UNREAD_FRAMES);
  }

  /** First the account, then the frame, or the client could be faster than the account. */
  private void grow(HTTP2Session session, @Nullable Stream stream, int id, int bytes) {
    if (stream == null) {
      updateRecvWindow(session, bytes);
    } else {
      updateRecvWindow(stream, bytes);
    }
    sendWindowUpdate(session, stream, List.of(new WindowUpdateFrame(id, bytes)));
  }

  private static final class State {
    private final int headLength;

    /** None once the stream is accepted. */
    private int unread;

    private boolean isAccepted;

    private State(int headLength) {
      this.headLength = headLength;
    }

    /** Whether it was not before. */
    private synchronized boolean accept() {
      boolean isFirst = !isAccepted;
      isAccepted = true;
      return isFirst;
    }

    /** Whether the frame counts. */
    private synchronized boolean receive() {
      if (!isAccepted) {
        unread++;
      }
      return !isAccepted;
    }

    /** Whether the frame counted. */
    private synchronized boolean consume() {
      boolean counted = unread > 0;
      if (counted) {
        unread--;
      }
      return counted;
    }

    /** How many there were. */
    private synchronized int forget() {
      int forgotten = unread;
      unread = 0;
      return forgotten;
    }
  }
}

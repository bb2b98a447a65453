package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.MixKind.Visit;
import io.artifactserver.rest.endtoend.MixSite.Line;
import io.artifactserver.rest.endtoend.Tally.Count;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MetaData;
import org.jspecify.annotations.Nullable;

/**
 * Many requests on one connection of HTTP/2, each byte of whose answers is compared, those of
 * streams that were reset included. Used by one thread.
 */
final class Http2Conversation implements AutoCloseable {
  static final int NO_LIMIT = Integer.MAX_VALUE;

  private static final int PRIORITY = 2;
  private static final int UNKNOWN = 0x77;
  private static final int DEFAULT_WINDOW = 65_535;
  private static final int STREAM_CLOSED = 5;
  private final Visit visit;
  private final Line line;
  private final Http2Wire wire;
  private final boolean hasNoLimit;
  private final TreeMap<Integer, Answer> answers = new TreeMap<>();

  /** Streams that have neither ended nor been reset. */
  private int open;

  private boolean mayEnd;
  private boolean hasEnded;

  /**
   * Connects.
   *
   * @param receiveBuffer of the socket, in bytes; 0 for the system's
   * @param window of each stream, in bytes; opened again as it is used, if it is not {@link
   *     #NO_LIMIT}
   */
  Http2Conversation(Visit visit, int receiveBuffer, int window) throws IOException {
    this.visit = visit;
    this.line = visit.open(receiveBuffer);
    this.wire = Http2Wire.open(line.socket(), window);
    line.socket().setSoTimeout(MixSite.TIMEOUT_MILLIS);
    this.hasNoLimit = window == NO_LIMIT;
    if (hasNoLimit) {
      wire.window(0, NO_LIMIT - DEFAULT_WINDOW);
    }
  }

  /** An answer, as far as its stream has brought it. */
  private static final class Answer {
    private final Ask ask;
    private @Nullable BodyCheck check;
    private boolean isOver;

    /** Whether the server may reset it. */
    private boolean isOdd;

    private Answer(Ask ask) {
      this.ask = ask;
    }
  }

  /** Returns the stream. */
  int ask(Ask ask) throws IOException {
    int stream = wire.nextStream();
    answers.put(stream, new Answer(ask));
    open++;
    try {
      wire.request(ask.method(), ask.path(), ask.fields());
    } catch (IOException e) {
      requireMayEnd(e);
    }
    return stream;
  }

  /** From now on the server may end the connection. */
  void provoke() {
    mayEnd = true;
  }

  /** Streams that have not ended. */
  List<Integer> openStreams() {
    List<Integer> streams = new ArrayList<>();
    answers.forEach((stream, answer) -> {
      if (!answer.isOver) {
        streams.add(stream);
      }
    });
    return streams;
  }

  void reset(int stream) throws IOException {
    Answer answer = answer(stream);
    if (!answer.isOver) {
      answer.isOver = true;
      open--;
    }
    visit.row().add(Count.RESETS, 1);
    send(Http2Wire.RST_STREAM, 0, stream, word(Http2Wire.CANCEL));
  }

  /** Resets the open streams again and again, in one write; the server may end the connection. */
  void flood(int resets) throws IOException {
    provoke();
    List<Integer> streams = openStreams();
    ByteBuffer frames = ByteBuffer.allocate(resets * 13);
    for (int i = 0; i < resets; i++) {
      int stream = streams.get(i % streams.size());
      frames.putInt(Integer.BYTES << 8 | Http2Wire.RST_STREAM).put((byte) 0).putInt(stream);
      frames.putInt(Http2Wire.CANCEL);
    }
    for (int stream : streams) {
      answer(stream).isOver = true;
      open--;
    }
    visit.row().add(Count.RESETS, resets);
    try {
      line.send(frames.array());
    } catch (IOException e) {
      // The server's words before it are read nevertheless.
      if (!Line.isCut(e)) {
        throw e;
      }
    }
  }

  /** Sends a body that the request has not. The server may reset the stream. */
  void sendData(int stream) throws IOException {
    answer(stream).isOdd = true;
    send(Http2Wire.DATA, 0, stream, new byte[visit.random().nextInt(64)]);
  }

  /** Sends one frame that is allowed at any time and means nothing here. */
  void sendOdd(int stream) throws IOException {
    switch (visit.random().nextInt(3)) {
      case 0 -> send(PRIORITY, 0, stream, new byte[] {0, 0, 0, 0, 7});
      case 1 -> send(UNKNOWN, 0, stream, new byte[visit.random().nextInt(100)]);
      default -> {
        // Beyond the bound, the window of a stream without a limit would be an error.
        int target = hasNoLimit ? answers.firstKey() : stream;
        if (!hasNoLimit) {
          send(Http2Wire.WINDOW_UPDATE, 0, target, word(1));
        }
      }
    }
  }

  /** Says that it asks no more; what it asked for is to come. */
  void sayGoAway() throws IOException {
    send(Http2Wire.GOAWAY, 0, 0, new byte[8]);
  }

  /** Returns when the server has written as much as it can while nothing is read here. */
  void awaitFull() throws IOException {
    SendQueue.of(line.raw()).awaitFull();
  }

  /** Reads until every stream that was not reset has ended, and nothing of the others is left. */
  void settle() throws IOException {
    send(Http2Wire.PING, 0, 0, new byte[8]);
    boolean isAnswered = false;
    while (!hasEnded && (!isAnswered || open > 0)) {
      isAnswered |= receive() == Http2Wire.PING;
    }
  }

  /** Reads all that comes until the server closes the connection. */
  void readToEnd() throws IOException {
    while (!hasEnded) {
      receive();
    }
  }

  /** Reads a frame and compares what is in it; returns its type. */
  int receive() throws IOException {
    Http2Wire.Frame frame;
    try {
      frame = wire.receive();
    } catch (IOException e) {
      requireMayEnd(e);
      return Http2Wire.GOAWAY;
    }
    switch (frame.type()) {
      case Http2Wire.HEADERS -> head(frame);
      case Http2Wire.DATA -> data(frame);
      case Http2Wire.RST_STREAM -> wasReset(frame);
      case Http2Wire.GOAWAY -> {
        if (!mayEnd && frame.errorCode() != 0) {
          throw new IOException("GOAWAY %d: %s".formatted(frame.errorCode(), frame.reason()));
        }
      }
      default -> {
        // SETTINGS, PING and WINDOW_UPDATE have no bytes of an artifact.
      }
    }
    return frame.type();
  }

  @Override
  public void close() throws IOException {
    line.close();
  }

  private void head(Http2Wire.Frame frame) throws IOException {
    Answer answer = answer(frame.stream());
    MetaData.Response head;
    try {
      head = (MetaData.Response) wire.decoded(frame);
    } catch (IOException | RuntimeException e) {
      throw new AssertionError("A head has " + whose(frame), e);
    }
    Map<String, String> fields = new HashMap<>();
    for (HttpField field : head.getHttpFields()) {
      fields.put(field.getName().toLowerCase(Locale.ROOT), String.valueOf(field.getValue()));
    }
    answer.check = answer.ask.check(head.getStatus(), fields);
    if (frame.endsStream()) {
      end(answer, !answer.ask.method().equals("HEAD"));
    }
  }

  private void data(Http2Wire.Frame frame) throws IOException {
    byte[] payload = frame.payload();
    Answer answer = answer(frame.stream());
    if (answer.check == null) {
      throw new AssertionError("Before its head, a stream has " + whose(frame));
    }
    answer.check.feed(payload, 0, payload.length);
    visit.row().add(Count.BYTES, payload.length);
    if (frame.endsStream()) {
      end(answer, true);
    } else if (!hasNoLimit && payload.length > 0) {
      if (!answer.isOver) {
        send(Http2Wire.WINDOW_UPDATE, 0, frame.stream(), word(payload.length));
      }
    }
    if (!hasNoLimit && payload.length > 0) {
      send(Http2Wire.WINDOW_UPDATE, 0, 0, word(payload.length));
    }
  }

  private void end(Answer answer, boolean hasBody) {
    if (hasBody && answer.check != null) {
      answer.check.end();
    }
    if (!answer.isOver) {
      answer.isOver = true;
      open--;
    }
    visit.row().add(answer.ask.status() < 400 ? Count.ANSWERS : Count.ERRORS, 1);
  }

  private void wasReset(Http2Wire.Frame frame) throws IOException {
    Answer answer = answer(frame.stream());
    if (!answer.isOver) {
      boolean isOurDoing = answer.isOdd && frame.errorCode() == STREAM_CLOSED;
      if (!mayEnd && !isOurDoing) {
        if (frame.errorCode() != Http2Wire.CANCEL) {
          throw new IOException("The server resets a stream: " + frame.errorCode());
        }
        visit.row().add(Count.CANCELLED, 1);
      }
      answer.isOver = true;
      open--;
    }
    visit.row().add(Count.PARTS, 1);
  }

  private Answer answer(int stream) {
    Answer answer = answers.get(stream);
    if (answer == null) {
      throw new AssertionError("Nobody asked on stream " + stream);
    }
    return answer;
  }

  private void send(int type, int flags, int stream, byte[] payload) throws IOException {
    try {
      wire.send(type, flags, stream, payload);
    } catch (IOException e) {
      // The server's words before it are read nevertheless.
      if (!mayEnd || !Line.isCut(e)) {
        throw e;
      }
    }
  }

  private void requireMayEnd(IOException cause) throws IOException {
    if (!mayEnd || !Line.isCut(cause)) {
      throw cause;
    }
    if (!hasEnded) {
      hasEnded = true;
      visit.row().add(Count.ENDED, 1);
    }
  }

  private static String whose(Http2Wire.Frame frame) {
    return MarkedArtifact.describe(frame.payload(), 0, frame.payload().length);
  }

  private static byte[] word(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
  }
}

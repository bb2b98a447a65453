package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.Http2Wire.Frame;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.MetaData;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/2: each request that is given in the form of HTTP/1.1 becomes a stream. Requests that are
 * given at once are open at once. Used by one thread.
 */
final class Http2Requests implements Wire.Protocol {
  private static final int FRAME = 16_384;
  private static final int DEFAULT_WINDOW = 65_535;

  /** How much is read before the server is told that the connection takes more. */
  private static final int WINDOW_STEP = 1 << 20;

  private static final String END_OF_HEAD = "\r\n\r\n";

  /** RFC 9113, section 8.2.2: a message that has one of them is malformed. */
  private static final Set<String> OF_CONNECTIONS =
      Set.of(
          "connection",
          "http2-settings",
          "keep-alive",
          "proxy-connection",
          "transfer-encoding",
          "upgrade");

  private final Http2Wire wire;
  private final Map<Integer, Answer> answers = new HashMap<>();
  private final Deque<Answer> expected = new ArrayDeque<>();

  /** Windows of streams whose requests have a body. */
  private final Map<Integer, Integer> windows = new HashMap<>();

  private String begun = "";
  private int uploading;
  private int missing;
  private int connectionWindow = DEFAULT_WINDOW;
  private int initialWindow = DEFAULT_WINDOW;
  private int unannounced;
  private @Nullable Answer current;

  /**
   * @param wire closed with this object
   */
  Http2Requests(Http2Wire wire) {
    this.wire = wire;
  }

  /** The part of an answer that has come so far. */
  private static final class Answer {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    /** Those of interim answers come before the one of the answer. */
    private final Deque<MetaData.Response> heads = new ArrayDeque<>();

    private int position;
    private boolean isComplete;
    private int errorCode = -1;

    boolean isOver() {
      return isComplete || errorCode >= 0;
    }
  }

  @Override
  public void send(byte[] bytes, int offset, int length) throws IOException {
    int position = offset;
    int end = offset + length;
    while (position < end) {
      if (missing > 0) {
        int count = Math.min(missing, end - position);
        sendData(bytes, position, count);
        position += count;
      } else {
        String text =
            begun + new String(bytes, position, end - position, StandardCharsets.ISO_8859_1);
        int endOfHead = text.indexOf(END_OF_HEAD);
        if (endOfHead < 0) {
          begun = text;
          return;
        }
        position += endOfHead + END_OF_HEAD.length() - begun.length();
        begun = "";
        sendHead(text.substring(0, endOfHead).split("\r\n"));
      }
    }
  }

  @Override
  public Response receive(boolean hasBody) throws IOException {
    Answer answer = expected.element();
    current = answer;
    MetaData.Response head = head(answer);
    if (!HttpStatus.isInformational(head.getStatus())) {
      expected.remove();
    }
    while (hasBody && !answer.isOver()) {
      read();
    }
    if (hasBody && !answer.isComplete) {
      throw new IOException("The stream was reset: " + answer.errorCode);
    }
    Map<String, String> fields = new LinkedHashMap<>();
    for (HttpField field : head.getHttpFields()) {
      fields.merge(
          field.getName().toLowerCase(Locale.ROOT), field.getValue(), (a, b) -> a + ", " + b);
    }
    byte[] body = hasBody ? answer.body.toByteArray() : new byte[0];
    return new Response(head.getStatus(), fields, body);
  }

  @Override
  public boolean isAnswered() throws IOException {
    Answer next = expected.element();
    while (next.heads.isEmpty() && wire.hasFrame()) {
      read();
    }
    return !next.heads.isEmpty();
  }

  @Override
  public boolean isClosedByServer() throws IOException {
    return wire.isClosedByServer();
  }

  @Override
  public InputStream body() {
    Answer answer = current;
    if (answer == null) {
      throw new IllegalStateException("The head is received first");
    }
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        while (answer.position == answer.body.size() && !answer.isOver()) {
          answer.body.reset();
          answer.position = 0;
          Http2Requests.this.read();
        }
        if (answer.position == answer.body.size()) {
          if (!answer.isComplete) {
            throw new IOException("The stream was reset: " + answer.errorCode);
          }
          return -1;
        }
        int count = Math.min(length, answer.body.size() - answer.position);
        System.arraycopy(answer.body.toByteArray(), answer.position, bytes, offset, count);
        answer.position += count;
        return count;
      }
    };
  }

  @Override
  public void close() throws IOException {
    wire.close();
  }

  private void sendHead(String[] lines) throws IOException {
    String[] requestLine = lines[0].split(" ");
    if (requestLine.length != 3 || !requestLine[2].equals("HTTP/1.1")) {
      throw new IllegalArgumentException("No request of HTTP/1.1: " + lines[0]);
    }
    List<String> fields = new ArrayList<>();
    for (String line : Arrays.asList(lines).subList(1, lines.length)) {
      String name = line.substring(0, Math.max(0, line.indexOf(':'))).toLowerCase(Locale.ROOT);
      if (name.isBlank() || !name.equals(name.strip()) || OF_CONNECTIONS.contains(name)) {
        throw new IllegalArgumentException("HTTP/2 has no such field: " + line);
      }
      if (name.equals("content-length")) {
        missing = Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
      }
      if (!name.equals("host")) {
        fields.add(line);
      }
    }
    int stream =
        missing > 0
            ? wire.begin(requestLine[0], requestLine[1], fields)
            : wire.request(requestLine[0], requestLine[1], fields);
    uploading = stream;
    windows.put(stream, initialWindow);
    Answer answer = new Answer();
    answers.put(stream, answer);
    expected.add(answer);
  }

  /** Waits while the server takes no more. */
  private void sendData(byte[] bytes, int offset, int length) throws IOException {
    int sent = 0;
    while (sent < length) {
      int window = Math.min(connectionWindow, windows.getOrDefault(uploading, 0));
      if (window <= 0) {
        Answer answer = answers.get(uploading);
        // One that is complete is not kept.
        if (answer == null || answer.isOver()) {
          throw new IOException("The server has answered before it had the body");
        }
        read();
      } else {
        int count = Math.min(Math.min(window, FRAME), length - sent);
        missing -= count;
        wire.send(
            Http2Wire.DATA,
            missing == 0 ? Http2Wire.END_STREAM : 0,
            uploading,
            Arrays.copyOfRange(bytes, offset + sent, offset + sent + count));
        connectionWindow -= count;
        windows.merge(uploading, -count, Integer::sum);
        sent += count;
      }
    }
  }

  private MetaData.Response head(Answer answer) throws IOException {
    while (answer.heads.isEmpty()) {
      if (answer.isOver()) {
        throw new IOException("The stream was reset: " + answer.errorCode);
      }
      read();
    }
    return answer.heads.remove();
  }

  /** Reads one frame. */
  private void read() throws IOException {
    Frame frame = wire.receive();
    Answer answer = answers.get(frame.stream());
    switch (frame.type()) {
      case Http2Wire.HEADERS -> {
        MetaData.Response head = (MetaData.Response) wire.decoded(frame);
        if (answer != null) {
          answer.heads.add(head);
        }
      }
      case Http2Wire.DATA -> {
        unannounced += frame.payload().length;
        if (answer != null) {
          answer.body.writeBytes(frame.payload());
        }
        if (unannounced >= WINDOW_STEP) {
          wire.window(0, unannounced);
          unannounced = 0;
        }
      }
      case Http2Wire.RST_STREAM -> {
        if (answer != null && !answer.isComplete) {
          answer.errorCode = frame.errorCode();
        }
      }
      case Http2Wire.GOAWAY -> goAway(frame);
      case Http2Wire.WINDOW_UPDATE -> {
        int bytes = ByteBuffer.wrap(frame.payload()).getInt();
        if (frame.stream() == 0) {
          connectionWindow += bytes;
        } else {
          windows.merge(frame.stream(), bytes, Integer::sum);
        }
      }
      case Http2Wire.SETTINGS -> readSettings(frame);
      default -> {
        // Nothing that an answer is made of.
      }
    }
    if (frame.endsStream() && answer != null) {
      answer.isComplete = true;
      answers.remove(frame.stream());
    }
  }

  /** Streams up to the last one that it names are still answered (RFC 9113, section 6.8). */
  private void goAway(Frame frame) {
    int last = ByteBuffer.wrap(frame.payload()).getInt();
    answers.forEach((stream, answer) -> {
      if (stream > last || frame.errorCode() != 0) {
        answer.errorCode = frame.errorCode();
      }
    });
  }

  private void readSettings(Frame frame) {
    ByteBuffer settings = ByteBuffer.wrap(frame.payload());
    while (settings.hasRemaining()) {
      int key = settings.getShort();
      int value = settings.getInt();
      if (key == Http2Wire.SETTING_INITIAL_WINDOW_SIZE) {
        int change = value - initialWindow;
        windows.replaceAll((_, window) -> window + change);
        initialWindow = value;
      }
    }
  }
}

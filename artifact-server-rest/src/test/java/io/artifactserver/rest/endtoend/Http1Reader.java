package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.Tally.Count;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads answers of HTTP/1.1 and compares all of them, heads included. Used by one thread. */
final class Http1Reader {
  private static final int MAX_HEAD = 8 * 1024;
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 ([1-5][0-9]{2}) [ -~]*");
  private static final Pattern FIELD = Pattern.compile("([A-Za-z0-9-]+): ?([ -~]*)");

  private final InputStream in;
  private final Tally.Row row;
  private final byte[] buffer = new byte[64 * 1024];

  Http1Reader(InputStream in, Tally.Row row) {
    this.in = new BufferedInputStream(in, 1 << 16);
    this.row = row;
  }

  /** A client's pause between two pieces of a body. */
  interface Pause {
    void between() throws IOException;
  }

  /** Reads an answer as fast as it comes. */
  void answer(Ask ask) throws IOException {
    answer(ask, Long.MAX_VALUE, buffer.length, () -> {});
  }

  /**
   * Reads an answer.
   *
   * @param most bytes of the body to read
   * @param piece bytes to read at once
   * @throws EOFException if the connection ends first; what came is right
   * @throws AssertionError if what comes is not the answer
   */
  void answer(Ask ask, long most, int piece, Pause pause) throws IOException {
    Map<String, String> fields = new HashMap<>();
    int status = head(fields);
    BodyCheck check = ask.check(status, fields);
    boolean hasBody = !ask.method().equals("HEAD") && status != 204 && status != 304;
    long left = hasBody ? length(fields) : 0;
    long wanted = Math.min(left, most);
    boolean isWhole = left <= most;
    while (wanted > 0) {
      int length = in.read(buffer, 0, (int) Math.min(Math.min(piece, buffer.length), wanted));
      if (length < 0) {
        throw new EOFException("The body ended %d bytes early".formatted(left));
      }
      check.feed(buffer, 0, length);
      row.add(Count.BYTES, length);
      wanted -= length;
      left -= length;
      pause.between();
    }
    if (isWhole) {
      if (hasBody) {
        check.end();
      }
      row.add(ask.status() < 400 ? Count.ANSWERS : Count.ERRORS, 1);
    } else {
      row.add(Count.PARTS, 1);
    }
  }

  /** Reads whatever answers come, until the server closes; they must be refusals. */
  void refusals() throws IOException {
    while (true) {
      in.mark(1);
      if (in.read() < 0) {
        return;
      }
      in.reset();
      Map<String, String> fields = new HashMap<>();
      int status = head(fields);
      if (status < 400 || status > 505) {
        throw new AssertionError("A request that is none is answered with " + status);
      }
      byte[] body = in.readNBytes((int) length(fields));
      MarkedArtifact.requireNone(body);
      row.add(Count.ERRORS, 1);
    }
  }

  /** The server must close the connection, and send nothing before. */
  void requireEnd() throws IOException {
    int next = in.read();
    if (next >= 0) {
      int more = Math.min(in.available(), buffer.length - 1);
      int length = 1 + Math.max(0, in.read(buffer, 1, more));
      buffer[0] = (byte) next;
      throw new AssertionError(
          "Behind the last answer come " + MarkedArtifact.describe(buffer, 0, length));
    }
  }

  private static long length(Map<String, String> fields) {
    String length = fields.get("content-length");
    if (length == null) {
      throw new AssertionError("An answer without a length: " + fields);
    }
    return Long.parseLong(length);
  }

  private int head(Map<String, String> fields) throws IOException {
    Matcher status = STATUS.matcher(line());
    if (!status.matches()) {
      throw broken();
    }
    for (String line = line(); !line.isEmpty(); line = line()) {
      Matcher field = FIELD.matcher(line);
      if (!field.matches()) {
        throw broken();
      }
      fields.put(field.group(1).toLowerCase(Locale.ROOT), field.group(2).strip());
    }
    return Integer.parseInt(status.group(1));
  }

  private final ByteArrayOutputStream last = new ByteArrayOutputStream();

  private String line() throws IOException {
    last.reset();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        MarkedArtifact.requireNone(last.toByteArray());
        throw new EOFException("The connection was closed after \"" + last + '"');
      }
      last.write(c);
      if (last.size() > MAX_HEAD) {
        throw broken();
      }
    }
    String text = last.toString(StandardCharsets.ISO_8859_1);
    if (!text.endsWith("\r")) {
      throw broken();
    }
    return text.substring(0, text.length() - 1);
  }

  private AssertionError broken() throws IOException {
    byte[] rest = new byte[Math.min(in.available(), 4096)];
    last.write(rest, 0, Math.max(0, in.read(rest)));
    byte[] came = last.toByteArray();
    return new AssertionError("A head has " + MarkedArtifact.describe(came, 0, came.length));
  }
}

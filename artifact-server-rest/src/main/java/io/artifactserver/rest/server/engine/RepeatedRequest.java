package io.artifactserver.rest.server.engine;

import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request for one range that was answered, as bytes, and the head of its answer, to recognise the
 * same request for another range. A device that streams or updates sends thousands of them.
 * Immutable, thread-safe.
 */
final class RepeatedRequest {
  /** In bytes; longer ones are not worth their memory. */
  static final int MAX_LENGTH = 2 * 1024;

  /** Room for the head of an answer, which may have longer numbers. */
  static final int MAX_HEAD = MAX_LENGTH + 256;

  private static final String CRLF = "\r\n";
  private static final String END = "\r\n\r\n";
  private static final String PERSISTENT = "\r\nconnection: keep-alive\r\n";
  private static final String RANGE = "\r\nrange:";
  private static final String UNIT = "bytes=";

  /** Parts of a response head, in the form in which Jetty writes them. */
  private static final String STATUS = "HTTP/1.1 206 ";

  private static final String DATE = "\r\nDate: ";
  private static final String CONTENT_RANGE = "\r\nContent-Range: bytes ";
  private static final String CONTENT_LENGTH = "\r\nContent-Length: ";

  /** Two numbers that fit a long, whatever their digits, and a hyphen. */
  private static final int MAX_DIGITS = 18;

  /**
   * Stands for requests that are more than their head, or are to change or end their connection.
   */
  private static final List<String> OTHERS =
      List.of(
          "\r\ncontent-length",
          "\r\ntransfer-encoding",
          "\r\nexpect",
          "\r\nupgrade",
          "\r\nconnection");

  private final byte[] begin;
  private final byte[] end;
  private final Head head;
  private final RangeResponder responder;

  private RepeatedRequest(String request, Span range, Head head, RangeResponder responder) {
    this.begin = bytes(request.substring(0, range.begin));
    this.end = bytes(request.substring(range.end));
    this.head = head;
    this.responder = responder;
  }

  /** A part of a text. */
  private record Span(int begin, int end) {}

  /**
   * Made from a request and the head of its answer.
   *
   * @return empty if the request is anything but a plain GET of one range, or the answer anything
   *     but 206 on a connection that stays
   */
  static Optional<RepeatedRequest> of(byte[] request, byte[] head, RangeResponder responder) {
    String text = new String(request, StandardCharsets.ISO_8859_1);
    String lower = text.toLowerCase(Locale.ROOT).replace(PERSISTENT, CRLF);
    if (!isAlone(text) || OTHERS.stream().anyMatch(lower::contains) || head.length > MAX_LENGTH) {
      return Optional.empty();
    }
    Span range = range(text);
    Head answer = Head.of(new String(head, StandardCharsets.ISO_8859_1));
    return range == null || answer == null
        ? Optional.empty()
        : Optional.of(new RepeatedRequest(text, range, answer, responder));
  }

  /** Whether this is the head of one request, whose lines end as they should. */
  private static boolean isAlone(String text) {
    int line = text.indexOf(CRLF);
    String rest = text.replace(CRLF, "");
    return text.startsWith("GET ")
        && line > 0
        && text.substring(0, line).endsWith(" HTTP/1.1")
        && text.indexOf(END) == text.length() - END.length()
        && rest.indexOf('\r') < 0
        && rest.indexOf('\n') < 0
        && !text.contains("\r\n ")
        && !text.contains("\r\n\t");
  }

  /** Where the two numbers are; null if there is not exactly one range. */
  private static @Nullable Span range(String request) {
    String lower = request.toLowerCase(Locale.ROOT);
    int field = lower.indexOf(RANGE);
    if (field < 0 || field != lower.lastIndexOf(RANGE)) {
      return null;
    }
    int begin = field + RANGE.length();
    while (request.charAt(begin) == ' ' || request.charAt(begin) == '\t') {
      begin++;
    }
    int end = request.indexOf(CRLF, begin);
    if (!request.startsWith(UNIT, begin)) {
      return null;
    }
    begin += UNIT.length();
    int hyphen = request.indexOf('-', begin);
    return isNumber(request, begin, hyphen) && isNumber(request, hyphen + 1, end)
        ? new Span(begin, end)
        : null;
  }

  private static boolean isNumber(String text, int begin, int end) {
    return begin < end && text.substring(begin, end).chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /**
   * Answers bytes which came, if they are this request again but for the range, and nothing else.
   *
   * @param date of the answer (RFC 9110, section 5.6.7)
   * @param into takes the head of the answer; has room for {@link #MAX_HEAD} bytes
   * @return the body; null if they are not, or are to be handled as any other request
   */
  @Nullable RepeatedBody answerTo(ByteBuffer request, String date, ByteBuffer into) {
    ByteRange range = rangeOf(request);
    if (range == null) {
      return null;
    }
    head.put(range, date, into);
    return responder.open(range);
  }

  /**
   * The range that bytes which came ask for, if they are this request again, and nothing else.
   *
   * @return null if they are not, or no byte of the range exists
   */
  @Nullable ByteRange rangeOf(ByteBuffer request) {
    int digits = differing(request);
    if (digits < "0-0".length() || digits > 2 * MAX_DIGITS + 1) {
      return null;
    }
    int position = request.position() + begin.length;
    int stop = position + digits;
    int hyphen = position;
    while (hyphen < stop && request.get(hyphen) != '-') {
      hyphen++;
    }
    long first = number(request, position, hyphen);
    long last = number(request, hyphen + 1, stop);
    if (first < 0 || last < first || first >= head.completeLength) {
      return null;
    }
    return new ByteRange(first, Math.min(last, head.completeLength - 1) - first + 1);
  }

  /**
   * How many bytes have the place of those that may differ. All that has to be equal is compared in
   * a time that does not tell where it differs: it may hold a secret.
   *
   * @return negative if it is another request
   */
  private int differing(ByteBuffer request) {
    int length = request.remaining() - begin.length - end.length;
    if (length < 0) {
      return -1;
    }
    int difference =
        difference(request, request.position(), begin)
            | difference(request, request.limit() - end.length, end);
    return difference == 0 ? length : -1;
  }

  private static int difference(ByteBuffer buffer, int position, byte[] expected) {
    int difference = 0;
    for (int i = 0; i < expected.length; i++) {
      difference |= buffer.get(position + i) ^ expected[i];
    }
    return difference;
  }

  /** Negative if it is none. */
  private static long number(ByteBuffer buffer, int begin, int end) {
    if (begin >= end || end - begin > MAX_DIGITS) {
      return -1;
    }
    long number = 0;
    for (int i = begin; i < end; i++) {
      int digit = buffer.get(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The head of the answer, in its constant parts. */
  private static final class Head {
    private final byte[] beforeDate;
    private final byte[] beforeRange;
    private final byte[] beforeLength;
    private final long completeLength;

    private Head(String beforeDate, String beforeRange, String beforeLength, long completeLength) {
      this.beforeDate = bytes(beforeDate);
      this.beforeRange = bytes(beforeRange);
      this.beforeLength = bytes(beforeLength);
      this.completeLength = completeLength;
    }

    /** Parses the head of a 206; null for any other, or if it closes the connection. */
    static @Nullable Head of(String head) {
      int date = head.indexOf(DATE) + DATE.length();
      int fields = head.indexOf(CRLF, date);
      int range = head.indexOf(CONTENT_RANGE, fields) + CONTENT_RANGE.length();
      int slash = head.indexOf('/', range);
      int complete = head.indexOf(CONTENT_LENGTH, slash);
      if (!head.startsWith(STATUS)
          || head.contains("\r\nConnection:")
          || date < DATE.length()
          || range < CONTENT_RANGE.length()
          || slash < 0
          || !isNumber(head, slash + 1, complete)
          || complete - slash - 1 > MAX_DIGITS
          || head.indexOf(CRLF, complete + CRLF.length()) != head.length() - END.length()) {
        return null;
      }
      return new Head(
          head.substring(0, date),
          head.substring(fields, range),
          head.substring(slash, complete + CONTENT_LENGTH.length()),
          Long.parseLong(head.substring(slash + 1, complete)));
    }

    void put(ByteRange range, String date, ByteBuffer into) {
      into.put(beforeDate);
      putText(date, into);
      into.put(beforeRange);
      putText(Long.toString(range.position()), into);
      into.put((byte) '-');
      putText(Long.toString(range.end() - 1), into);
      into.put(beforeLength);
      putText(Long.toString(range.length()), into);
      putText(END, into);
    }

    private static void putText(String text, ByteBuffer into) {
      for (int i = 0; i < text.length(); i++) {
        into.put((byte) text.charAt(i));
      }
    }
  }
}

package io.artifactserver.rest.engine;

import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request for one range that was answered, and the head of its answer: both as bytes, to
 * recognise the same request for another range, and to answer it in the same way. A device that
 * streams or updates sends thousands of them. Immutable, thread-safe.
 */
final class RepeatedRequest {
  /** In bytes; longer ones are not worth their memory. */
  static final int MAX_LENGTH = 2 * 1024;

  private static final String CRLF = "\r\n";
  private static final String END = "\r\n\r\n";
  private static final String RANGE = "\r\nrange:";
  private static final String PERSISTENT = "\r\nconnection: keep-alive\r\n";

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

  private static final Pattern ONE_RANGE =
      Pattern.compile("\\r\\nRange:[ \\t]*bytes=([0-9]+-[0-9]+)\\r\\n", Pattern.CASE_INSENSITIVE);

  /** As Jetty writes it. */
  private static final Pattern ANSWER =
      Pattern.compile(
          "(HTTP/1\\.1 206 .*?\\r\\nDate: )[^\\r]*(\\r\\n.*\\r\\nContent-Range: bytes )[0-9]+-[0-9]+"
              + "(/([0-9]{1,18})\\r\\nContent-Length: )[0-9]+\\r\\n\\r\\n",
          Pattern.DOTALL);

  /** Two numbers that fit a long, whatever their digits, and a hyphen. */
  private static final int MAX_DIGITS = 18;

  private static final byte[] END_BYTES = bytes(END);

  private final byte[] requestBegin;
  private final byte[] requestEnd;
  private final byte[] statusLine;
  private final byte[] fields;
  private final byte[] length;
  private final long completeLength;
  private final RangeResponder responder;

  private RepeatedRequest(
      byte[] requestBegin, byte[] requestEnd, Matcher answer, RangeResponder responder) {
    this.requestBegin = requestBegin;
    this.requestEnd = requestEnd;
    this.statusLine = bytes(answer.group(1));
    this.fields = bytes(answer.group(2));
    this.length = bytes(answer.group(3));
    this.completeLength = Long.parseLong(answer.group(4));
    this.responder = responder;
  }

  /**
   * Made from a request and the head of its answer.
   *
   * @return empty if the request is anything but a GET of one range, or more, or the answer
   *     anything but 206 on a connection that stays
   */
  static Optional<RepeatedRequest> of(byte[] request, byte[] head, RangeResponder responder) {
    String text = new String(request, StandardCharsets.ISO_8859_1);
    String lower = text.toLowerCase(Locale.ROOT);
    Matcher range = ONE_RANGE.matcher(text);
    String answer = new String(head, StandardCharsets.ISO_8859_1);
    Matcher partial = ANSWER.matcher(answer);
    boolean isRepeatable =
        isAlone(text)
            && range.find()
            && lower.indexOf(RANGE) == lower.lastIndexOf(RANGE)
            && OTHERS.stream().noneMatch(lower.replace(PERSISTENT, CRLF)::contains)
            && head.length <= MAX_LENGTH
            && !answer.contains("\r\nConnection:")
            && partial.matches();
    return isRepeatable
        ? Optional.of(
            new RepeatedRequest(
                bytes(text.substring(0, range.start(1))),
                bytes(text.substring(range.end(1))),
                partial,
                responder))
        : Optional.empty();
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

  RangeResponder responder() {
    return responder;
  }

  /**
   * The range that bytes which came ask for, if they are this request again, and nothing else. All
   * that has to be equal is compared in a time that does not tell where it differs: it may hold a
   * secret.
   *
   * @return null if they are not, or no byte of the range exists
   */
  @Nullable ByteRange rangeOf(ByteBuffer request) {
    int begin = request.position();
    int end = request.limit();
    int digits = end - begin - requestBegin.length - requestEnd.length;
    if (digits < "0-0".length() || digits > 2 * MAX_DIGITS + 1) {
      return null;
    }
    int difference =
        difference(request, begin, requestBegin)
            | difference(request, end - requestEnd.length, requestEnd);
    if (difference != 0) {
      return null;
    }
    int position = begin + requestBegin.length;
    int stop = position + digits;
    int hyphen = position;
    while (hyphen < stop && request.get(hyphen) != '-') {
      hyphen++;
    }
    long first = number(request, position, hyphen);
    long last = number(request, hyphen + 1, stop);
    if (first < 0 || last < first || first >= completeLength) {
      return null;
    }
    return new ByteRange(first, Math.min(last, completeLength - 1) - first + 1);
  }

  /**
   * Writes the head of the answer.
   *
   * @param date of the answer (RFC 9110, section 5.6.7)
   * @param head has room for {@value #MAX_LENGTH} bytes and 64 more
   */
  void putHead(ByteRange range, String date, ByteBuffer head) {
    head.put(statusLine);
    for (int i = 0; i < date.length(); i++) {
      head.put((byte) date.charAt(i));
    }
    head.put(fields);
    putNumber(range.position(), head);
    head.put((byte) '-');
    putNumber(range.position() + range.length() - 1, head);
    head.put(length);
    putNumber(range.length(), head);
    head.put(END_BYTES);
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

  private static void putNumber(long number, ByteBuffer into) {
    int begin = into.position();
    long rest = number;
    int digits = 1;
    for (long bound = 10; digits < MAX_DIGITS && number >= bound; bound *= 10) {
      digits++;
    }
    for (int i = digits - 1; i >= 0; i--) {
      into.put(begin + i, (byte) ('0' + rest % 10));
      rest /= 10;
    }
    into.position(begin + digits);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}

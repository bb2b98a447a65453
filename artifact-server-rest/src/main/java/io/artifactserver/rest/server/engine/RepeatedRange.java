package io.artifactserver.rest.server.engine;

import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request for one range that was answered, and the head of its answer. A device that streams or
 * updates sends thousands of them. Immutable, thread-safe.
 */
final class RepeatedRange extends RepeatedRequest {
  private static final String RANGE = "\r\nrange:";

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

  private final byte[] statusLine;
  private final byte[] fields;
  private final byte[] length;
  private final long completeLength;
  private final RangeResponder responder;

  private RepeatedRange(String request, Matcher range, Matcher answer, RangeResponder responder) {
    super(request, range.start(1), range.end(1));
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
  static Optional<RepeatedRequest> of(String request, String answer, RangeResponder responder) {
    String lower = request.toLowerCase(Locale.ROOT);
    Matcher range = ONE_RANGE.matcher(request);
    Matcher partial = ANSWER.matcher(answer);
    return range.find() && lower.indexOf(RANGE) == lower.lastIndexOf(RANGE) && partial.matches()
        ? Optional.of(new RepeatedRange(request, range, partial, responder))
        : Optional.empty();
  }

  @Override
  @Nullable RepeatedBody answerTo(ByteBuffer request, String date, ByteBuffer head) {
    ByteRange range = rangeOf(request);
    if (range == null) {
      return null;
    }
    putHead(range, date, head);
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
    int position = differingAt(request);
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

  private void putHead(ByteRange range, String date, ByteBuffer head) {
    head.put(statusLine);
    putText(date, head);
    head.put(fields);
    putText(Long.toString(range.position()), head);
    head.put((byte) '-');
    putText(Long.toString(range.end() - 1), head);
    head.put(length);
    putText(Long.toString(range.length()), head);
    putText(END, head);
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
}

package io.artifactserver.rest.server.engine;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request that was answered, as bytes, to recognise others that differ from it in one place.
 * Immutable, thread-safe.
 */
abstract sealed class RepeatedRequest permits RepeatedRange, RepeatedTarget {
  /** In bytes; longer ones are not worth their memory. */
  static final int MAX_LENGTH = 2 * 1024;

  /** Room for the head of an answer, which may have longer numbers. */
  static final int MAX_HEAD = MAX_LENGTH + 256;

  static final String CRLF = "\r\n";
  static final String END = "\r\n\r\n";
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

  private final byte[] begin;
  private final byte[] end;

  /**
   * @param from where others may differ
   * @param to where they are the same again
   */
  RepeatedRequest(String request, int from, int to) {
    this.begin = bytes(request.substring(0, from));
    this.end = bytes(request.substring(to));
  }

  /**
   * Made from a request and the head of its answer.
   *
   * @return empty if the request is anything but a plain GET, or the answer is not one that the
   *     responder's kind repeats
   */
  static Optional<RepeatedRequest> of(byte[] request, byte[] head, Responder responder) {
    String text = new String(request, StandardCharsets.ISO_8859_1);
    String answer = new String(head, StandardCharsets.ISO_8859_1);
    if (!isAlone(text)
        || OTHERS.stream()
            .anyMatch(text.toLowerCase(Locale.ROOT).replace(PERSISTENT, CRLF)::contains)
        || head.length > MAX_LENGTH
        || answer.contains("\r\nConnection:")) {
      return Optional.empty();
    }
    return switch (responder) {
      case RangeResponder ranges -> RepeatedRange.of(text, answer, ranges);
      case TargetResponder targets -> RepeatedTarget.of(text, answer, targets);
    };
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

  /**
   * Answers bytes which came, if they are this request again but for the one place, and nothing
   * else.
   *
   * @param date of the answer (RFC 9110, section 5.6.7)
   * @param head takes the head of the answer; has room for {@link #MAX_HEAD} bytes
   * @return the body; null if they are not, or are to be handled as any other request
   */
  abstract @Nullable RepeatedBody answerTo(ByteBuffer request, String date, ByteBuffer head);

  /**
   * How many bytes have the place of those that may differ. All that has to be equal is compared in
   * a time that does not tell where it differs: it may hold a secret.
   *
   * @return negative if it is another request
   */
  final int differing(ByteBuffer request) {
    int length = request.remaining() - begin.length - end.length;
    if (length < 0) {
      return -1;
    }
    int difference =
        difference(request, request.position(), begin)
            | difference(request, request.limit() - end.length, end);
    return difference == 0 ? length : -1;
  }

  /** Where those begin, in the buffer. */
  final int differingAt(ByteBuffer request) {
    return request.position() + begin.length;
  }

  private static int difference(ByteBuffer buffer, int position, byte[] expected) {
    int difference = 0;
    for (int i = 0; i < expected.length; i++) {
      difference |= buffer.get(position + i) ^ expected[i];
    }
    return difference;
  }

  /** Puts ASCII text. */
  static void putText(String text, ByteBuffer into) {
    for (int i = 0; i < text.length(); i++) {
      into.put((byte) text.charAt(i));
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}

package io.artifactserver.rest.server.engine;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A request for one of many small things that lie beside each other, such as the chunks of an
 * update. Immutable, thread-safe.
 */
final class RepeatedTarget extends RepeatedRequest {
  private static final String VERSION = " HTTP/1.1\r\n";
  private static final String STATUS = "HTTP/1.1 200 OK\r\n";
  private static final String DATE = "Date: ";

  /** A condition may hold for one target and not for the next. */
  private static final String CONDITION = "\r\nif-";

  private final int length;
  private final TargetResponder responder;

  private RepeatedTarget(String request, int from, TargetResponder responder) {
    super(request, from, from + responder.end().length());
    this.length = responder.end().length();
    this.responder = responder;
  }

  /**
   * Made from a request and the head of its answer.
   *
   * @return empty if the request has a condition, or the answer is anything but 200
   */
  static Optional<RepeatedRequest> of(String request, String answer, TargetResponder responder) {
    int line = request.indexOf(VERSION);
    int from = line - responder.end().length();
    return answer.startsWith(STATUS + DATE)
            && from > 0
            && request.startsWith(responder.end(), from)
            && !request.toLowerCase(Locale.ROOT).contains(CONDITION)
        ? Optional.of(new RepeatedTarget(request, from, responder))
        : Optional.empty();
  }

  @Override
  @Nullable RepeatedBody answerTo(ByteBuffer request, String date, ByteBuffer head) {
    if (differing(request) != length) {
      return null;
    }
    byte[] end = new byte[length];
    request.get(differingAt(request), end);
    TargetResponder.Found found = responder.open(new String(end, StandardCharsets.US_ASCII));
    if (found == null) {
      return null;
    }
    putText(STATUS + DATE, head);
    putText(date, head);
    putText(CRLF, head);
    for (HttpField field : found.fields()) {
      HttpGenerator.putTo(field, head);
    }
    putText(CRLF, head);
    return found.body();
  }
}

package io.artifactserver.rest.app;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.io.EofException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * Tells Jetty of clients that leave in the middle of a request by the one exception about which it
 * logs nothing. HTTP/2 and TLS fail with others: a client could make a line in the log each time.
 * Thread-safe.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DisconnectedClients extends OncePerRequestFilter {
  /**
   * How the message begins where a connection of HTTP/2 ended and took its streams along: with the
   * code of RFC 9113, section 7, which the client may choose, as it may the reason behind it.
   */
  private static final List<String> ENDS =
      Arrays.stream(ErrorCode.values())
          .map(code -> code.name().toLowerCase(Locale.ROOT) + '/')
          .toList();

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    try {
      chain.doFilter(request, response);
    } catch (IOException e) {
      throw hasLeft(e) ? new EofException(e) : e;
    }
  }

  static boolean hasLeft(IOException failure) {
    String message = Objects.requireNonNullElse(failure.getMessage(), "");
    return failure instanceof EOFException
        || failure instanceof ClosedChannelException
        || ENDS.stream().anyMatch(message::startsWith)
        || DisconnectedClientHelper.isClientDisconnectedException(failure);
  }
}

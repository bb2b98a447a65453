package io.artifactserver.rest.problem;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.util.StreamUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Reads what a client is still sending when its request is refused, within reason. A connection
 * that is closed on unread bytes is reset, and a client that is still sending then never sees why.
 * One that sent {@code Expect: 100-continue} waits for the answer and sends nothing.
 *
 * <p>After the check of access, and for those alone who are known: nobody else may make a thread
 * wait for bytes that are to be thrown away. Thread-safe.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE)
final class RefusedBodyFilter extends OncePerRequestFilter {
  private static final Logger LOG = LoggerFactory.getLogger(RefusedBodyFilter.class);

  /** In bytes; a client that has more to send loses the connection, and perhaps the answer. */
  private static final long MAX_LENGTH = 16 << 20;

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    chain.doFilter(request, response);
    if (response.getStatus() >= HttpStatus.BAD_REQUEST.value()
        && request.getUserPrincipal() != null
        && request.getContentLengthLong() != 0
        && request.getHeader(HttpHeaders.EXPECT) == null) {
      try {
        StreamUtils.copyRange(
            request.getInputStream(), OutputStream.nullOutputStream(), 0, MAX_LENGTH - 1);
      } catch (IOException e) {
        LOG.debug("The body of a refused request broke off", e);
      }
    }
  }
}

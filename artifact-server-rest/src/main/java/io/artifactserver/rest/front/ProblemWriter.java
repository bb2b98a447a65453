package io.artifactserver.rest.front;

import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.problem.Problems;
import java.net.URI;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import tools.jackson.databind.json.JsonMapper;

/** Writes problem details on the data plane. Thread-safe. */
public record ProblemWriter(JsonMapper mapper) {
  /** The field of a problem that is over soon; a 503 has it by itself. */
  public static final HttpFields RETRY =
      HttpFields.build().add(HttpHeader.RETRY_AFTER, Problems.RETRY_AFTER_SECONDS).asImmutable();

  /**
   * Answers with the problem's status, to a HEAD without the body, and completes the callback.
   *
   * @param fields to send beside those that the status asks for
   */
  public void write(Exchange exchange, ProblemDetail problem, HttpFields fields) {
    String path = exchange.request().getHttpURI().getPath();
    // Jetty's name for a request whose target it could not read.
    if (path != null && !path.equals("/badMessage")) {
      problem.setInstance(instance(path));
    }
    byte[] body = mapper.writeValueAsBytes(problem);
    exchange.response().setStatus(problem.getStatus());
    HttpFields.Mutable headers =
        exchange
            .response()
            .getHeaders()
            .add(fields)
            .put(HttpHeader.CONTENT_TYPE, MediaType.APPLICATION_PROBLEM_JSON_VALUE)
            .put(HttpHeader.CONTENT_LENGTH, body.length)
            .put(HttpHeader.CACHE_CONTROL, "no-store")
            .put("X-Content-Type-Options", "nosniff");
    switch (problem.getStatus()) {
      case HttpStatus.UNAUTHORIZED_401 -> {
        if (!fields.contains(HttpHeader.WWW_AUTHENTICATE)) {
          headers.put(HttpHeader.WWW_AUTHENTICATE, Authenticator.CHALLENGE);
        }
      }
      case HttpStatus.SERVICE_UNAVAILABLE_503 -> {
        if (!fields.contains(HttpHeader.RETRY_AFTER)) {
          headers.put(HttpHeader.RETRY_AFTER, Problems.RETRY_AFTER_SECONDS);
        }
      }
      case HttpStatus.TOO_MANY_REQUESTS_429 -> {
        if (!fields.contains(HttpHeader.RETRY_AFTER)) {
          headers.put(HttpHeader.RETRY_AFTER, Problems.THROTTLED_SECONDS);
        }
      }
      default -> {}
    }
    exchange.end(body);
  }

  /** The path as a URI reference; a path that is none is left out. */
  private static URI instance(String path) {
    try {
      return new URI(path);
    } catch (java.net.URISyntaxException e) {
      return URI.create("about:blank");
    }
  }
}

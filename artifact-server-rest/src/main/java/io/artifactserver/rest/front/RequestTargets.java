package io.artifactserver.rest.front;

import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;

/**
 * Request targets of the control plane. Its rooms compare paths as they were sent, and the servlet
 * framework decodes them and drops parameters of segments: a path that these read differently is
 * refused. Pure functions.
 */
final class RequestTargets {
  /** The rest of such a path is the name of an artifact, which may have any characters. */
  private static final Pattern BEFORE_NAME =
      Pattern.compile("/api/v1/repositories/[^/]+/artifacts/");

  /** An unreserved character that is encoded (RFC 3986, section 2.3). */
  private static final Pattern NEEDLESS =
      Pattern.compile(
          "%(?:2[DE]|3\\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])", Pattern.CASE_INSENSITIVE);

  private RequestTargets() {}

  /** Says what is wrong with the target of a request, if anything is. */
  static Optional<String> fault(Request request) {
    String path = Objects.requireNonNullElse(request.getHttpURI().getPath(), "");
    Matcher artifact = BEFORE_NAME.matcher(path);
    String fixed = artifact.lookingAt() ? artifact.group() : path;
    if (fixed.indexOf(';') >= 0) {
      return Optional.of("The segments of this path have no parameters: write '%3B' for ';'");
    }
    if (NEEDLESS.matcher(fixed).find()) {
      return Optional.of("Letters, digits, '-', '.', '_' and '~' are not percent-encoded here");
    }
    return isReadable(request)
        ? Optional.empty()
        : Optional.of("The query is not percent-encoded UTF-8");
  }

  /** Whether the query can be decoded; servlets learn of it when they ask for a parameter. */
  private static boolean isReadable(Request request) {
    String query = request.getHttpURI().getQuery();
    if (query == null || query.indexOf('%') < 0) {
      return true;
    }
    try {
      var _ = Request.extractQueryParameters(request);
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }
}

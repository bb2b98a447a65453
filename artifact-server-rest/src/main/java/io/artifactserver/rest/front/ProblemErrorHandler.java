package io.artifactserver.rest.front;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.rest.problem.Problems;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.springframework.http.HttpStatus;

/**
 * Answers with problem details, without a stack trace, where Jetty itself refuses a request (a
 * malformed one, a header too large) or something fails before an answer began. Thread-safe.
 */
public final class ProblemErrorHandler extends ErrorHandler {
  private final ProblemWriter problems;

  ProblemErrorHandler(ProblemWriter problems) {
    this.problems = problems;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    HttpStatus status = HttpStatus.resolve(response.getStatus());
    if (status == null || !status.isError()) {
      status = HttpStatus.INTERNAL_SERVER_ERROR;
    }
    // It is handed over quietly, because its log line is written.
    problems.write(
        new Exchange(request, response, callback),
        request.getAttribute(ERROR_EXCEPTION) instanceof QuietException.Exception quiet
                && quiet.getCause() instanceof StorageException failure
            ? Problems.of(failure)
            : Problems.ofStatus(status, reason(request)),
        HttpFields.EMPTY);
    return true;
  }

  /** Jetty's reason for refusing a request; empty for any other failure. */
  private static String reason(Request request) {
    return request.getAttribute(ERROR_EXCEPTION) instanceof HttpException refusal
            && refusal.getReason() != null
        ? refusal.getReason()
        : "";
  }
}

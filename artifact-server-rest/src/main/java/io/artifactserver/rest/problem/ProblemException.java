package io.artifactserver.rest.problem;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/** A request that cannot be served, and its answer. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ProblemDetail problem;
  private final boolean isPassing;

  public ProblemException(ProblemDetail problem) {
    this(problem, false);
  }

  /** A problem with a title of its own. */
  public ProblemException(HttpStatus status, String title, String detail) {
    this(Problems.of(status, title, detail));
  }

  private ProblemException(ProblemDetail problem, boolean isPassing) {
    super(problem.getTitle());
    this.problem = problem;
    this.isPassing = isPassing;
  }

  /** A problem that goes away without anybody's doing: its answer has a Retry-After. */
  public static ProblemException passing(ProblemDetail problem) {
    return new ProblemException(problem, true);
  }

  /** The answer. */
  public ProblemDetail problem() {
    return problem;
  }

  /** Whether the client is to ask again. */
  boolean isPassing() {
    return isPassing;
  }
}

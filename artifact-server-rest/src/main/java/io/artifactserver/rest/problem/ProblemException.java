package io.artifactserver.rest.problem;

import org.springframework.http.ProblemDetail;

/** A request that cannot be served, and its answer. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ProblemDetail problem;

  public ProblemException(ProblemDetail problem) {
    super(problem.getTitle());
    this.problem = problem;
  }

  /** The answer. */
  public ProblemDetail problem() {
    return problem;
  }
}

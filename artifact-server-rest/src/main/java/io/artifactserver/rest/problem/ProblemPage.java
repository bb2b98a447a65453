package io.artifactserver.rest.problem;

import org.springframework.http.ProblemDetail;

/** Shows a problem to a person whose browser asked for a page. Thread-safe. */
@FunctionalInterface
public interface ProblemPage {
  /** Returns the page in HTML, as UTF-8. */
  byte[] of(ProblemDetail problem);
}

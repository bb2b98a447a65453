package io.artifactserver.rest.problem;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.ingest.IngestException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Turns what the control plane's controllers throw into problem details. Thread-safe. */
@RestControllerAdvice
public class ProblemExceptionHandler extends ResponseEntityExceptionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemExceptionHandler.class);

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(ProblemException failure) {
    return answer(failure.problem());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(InvalidNameException failure) {
    return answer(Problems.invalidName(String.valueOf(failure.getMessage())));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(IngestException failure) {
    LOG.debug("An upload was refused", failure);
    return answer(Problems.of(failure));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(StorageException failure) {
    LOG.error("The storage failed", failure);
    return answer(Problems.of(failure));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(CatalogUnavailableException failure) {
    LOG.warn("The catalog's database does not answer", failure);
    return answer(Problems.catalogUnavailable());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(RuntimeException failure) {
    LOG.error("A request failed", failure);
    return answer(
        Problems.of(
            HttpStatus.INTERNAL_SERVER_ERROR,
            "Internal error",
            "The server failed at this request; its log says how."));
  }

  private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
    ResponseEntity.BodyBuilder response = ResponseEntity.status(problem.getStatus());
    if (problem.getStatus() == HttpStatus.SERVICE_UNAVAILABLE.value()) {
      response.header(HttpHeaders.RETRY_AFTER, String.valueOf(Problems.RETRY_AFTER_SECONDS));
    }
    return response.body(problem);
  }
}

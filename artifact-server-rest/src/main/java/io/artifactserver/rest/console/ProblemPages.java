package io.artifactserver.rest.console;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.rest.access.IssuerUnavailableException;
import io.artifactserver.rest.log.FailureLog;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.ProblemPage;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.problem.ReleaseProblems;
import java.util.Map;
import java.util.Objects;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Shows people what went wrong on a page of the console, and what to do. Thread-safe. */
@ControllerAdvice(basePackageClasses = ProblemPages.class)
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class ProblemPages implements ProblemPage {
  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(ProblemPages.class));

  private final Templates templates;

  ProblemPages(Templates templates) {
    this.templates = templates;
  }

  @Override
  public byte[] of(ProblemDetail problem) {
    return templates.bytes("problem", title(problem), Map.of("problem", problem));
  }

  /** The client left before it had the page or its first event: there is nobody to tell. */
  @ExceptionHandler
  @Nullable ResponseEntity<byte[]> handle(AsyncRequestNotUsableException failure) {
    return null;
  }

  @ExceptionHandler
  ResponseEntity<byte[]> handle(Exception failure) {
    ProblemDetail problem = problem(failure);
    return templates.page(
        HttpStatusCode.valueOf(problem.getStatus()),
        "problem",
        title(problem),
        Map.of("problem", problem));
  }

  private static ProblemDetail problem(Exception failure) {
    return switch (failure) {
      case ProblemException known -> known.problem();
      case InvalidNameException name -> Problems.invalidName(String.valueOf(name.getMessage()));
      case CatalogUnavailableException _ -> Problems.catalogUnavailable();
      case IssuerUnavailableException _ -> Problems.issuerUnavailable();
      case ReleaseException release -> ReleaseProblems.of(release);
      case ErrorResponse known -> known.getBody();
      case MethodArgumentTypeMismatchException misfit ->
          Problems.of(
              HttpStatus.BAD_REQUEST,
              "Malformed address",
              "\"%s\" in the address has a value that it cannot have. Follow the links of the page before."
                  .formatted(misfit.getName()));
      case HttpException refused when HttpStatus.valueOf(refused.getCode()).is4xxClientError() ->
          Problems.of(refused);
      default -> {
        FAILURES.failed("A page of the console could not be made", failure);
        yield Problems.of(
            HttpStatus.INTERNAL_SERVER_ERROR,
            "Internal error",
            "The server failed to make this page; its log says why.");
      }
    };
  }

  private static String title(ProblemDetail problem) {
    return Objects.requireNonNullElse(problem.getTitle(), "It did not work");
  }
}

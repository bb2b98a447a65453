package io.artifactserver.rest.problem;

import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.upload.UploadException;
import io.artifactserver.rest.access.IssuerUnavailableException;
import io.artifactserver.rest.log.FailureLog;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Turns what the control plane's controllers throw into problem details. Thread-safe. */
@RestControllerAdvice
public class ProblemExceptionHandler extends ResponseEntityExceptionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemExceptionHandler.class);
  private static final Pattern DUPLICATE =
      Pattern.compile("Duplicate Object property \"(.*)\"", Pattern.DOTALL);
  private static final String NO_JSON = "The body is not JSON.";
  private static final FailureLog FAILURES = new FailureLog(LOG);

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(ProblemException failure) {
    return answer(failure.problem(), failure.isPassing());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(InvalidNameException failure) {
    return answer(Problems.invalidName(String.valueOf(failure.getMessage())));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(IngestException failure) {
    LOG.debug("An upload was refused", failure);
    return answer(UploadProblems.of(failure));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(UploadException failure) {
    LOG.debug("A request for an unfinished upload was refused", failure);
    ProblemDetail problem = UploadProblems.of(failure);
    ResponseEntity.BodyBuilder answer = ResponseEntity.status(problem.getStatus());
    if (failure instanceof UploadException.WrongPosition wrong) {
      answer.header("Upload-Offset", String.valueOf(wrong.position()));
    }
    return answer.body(problem);
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(ReleaseException failure) {
    return answer(ReleaseProblems.of(failure));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(BadDocumentException failure) {
    return answer(AttachmentProblems.of(failure));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(StorageException failure) {
    FAILURES.failed("The storage failed", failure);
    return answer(Problems.of(failure));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(CatalogUnavailableException failure) {
    FAILURES.failed("The catalog's database does not answer", failure);
    return answer(Problems.catalogUnavailable());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(IssuerUnavailableException failure) {
    LOG.debug("The identity provider cannot be asked", failure);
    return answer(Problems.issuerUnavailable());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> handle(RuntimeException failure) {
    if (failure instanceof HttpException refused
        && HttpStatus.valueOf(refused.getCode()).is4xxClientError()) {
      return answer(Problems.of(refused));
    }
    FAILURES.failed("A request failed", failure);
    return answer(
        Problems.of(
            HttpStatus.INTERNAL_SERVER_ERROR,
            "Internal error",
            "The server failed to handle this request; its log says why."));
  }

  @Override
  protected ResponseEntity<Object> handleMethodArgumentNotValid(
      MethodArgumentNotValidException failure,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    String detail =
        failure.getFieldErrors().stream()
            .map(error -> "\"%s\" %s.".formatted(error.getField(), error.getDefaultMessage()))
            .sorted()
            .collect(Collectors.joining(" "));
    return new ResponseEntity<>(
        Problems.of(HttpStatus.BAD_REQUEST, "Invalid body", detail), HttpStatus.BAD_REQUEST);
  }

  @Override
  protected ResponseEntity<Object> handleHttpMessageNotReadable(
      HttpMessageNotReadableException failure,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    String detail =
        switch (failure.getCause()) {
          case UnrecognizedPropertyException unknown ->
              "There is no field \"%s\". Fields are %s."
                  .formatted(
                      unknown.getPropertyName(),
                      unknown.getKnownPropertyIds().stream()
                          .map(name -> "\"" + name + '"')
                          .sorted()
                          .collect(Collectors.joining(", ")));
          case InputCoercionException beyond -> value(beyond) + " is out of range.";
          // Any string is one, but for what StorableText refuses.
          case InvalidFormatException text
              when text.getTargetType() == String.class && text.getValue() instanceof String ->
              value(text) + " must not have the character U+0000.";
          case MismatchedInputException misfit ->
              "%s must be %s.".formatted(value(misfit), shape(misfit.getTargetType()));
          case DatabindException other -> value(other) + " is not valid.";
          case StreamReadException unread -> unread(String.valueOf(unread.getOriginalMessage()));
          case null, default -> NO_JSON;
        };
    return new ResponseEntity<>(
        Problems.of(HttpStatus.BAD_REQUEST, "Unreadable body", detail), HttpStatus.BAD_REQUEST);
  }

  @Override
  protected ResponseEntity<Object> handleNoResourceFoundException(
      NoResourceFoundException failure,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    return new ResponseEntity<>(Problems.ofStatus(HttpStatus.NOT_FOUND, ""), HttpStatus.NOT_FOUND);
  }

  private static String unread(String reason) {
    Matcher duplicate = DUPLICATE.matcher(reason);
    return duplicate.matches()
        ? "The field \"%s\" is there twice.".formatted(duplicate.group(1))
        : NO_JSON;
  }

  /** Names the field whose value does not fit, or the body. */
  private static String value(JacksonException misfit) {
    List<JacksonException.Reference> path = misfit.getPath();
    String field =
        path.stream()
            .map(JacksonException.Reference::getPropertyName)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("."));
    if (field.isEmpty()) {
      return "The body";
    }
    return (path.getLast().getPropertyName() == null ? "Each entry of \"" : "\"") + field + '"';
  }

  /** In the words of JSON, not of Java. */
  private static String shape(@Nullable Class<?> type) {
    if (type == String.class) {
      return "a string";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "true or false";
    }
    if (type != null && (type.isPrimitive() || Number.class.isAssignableFrom(type))) {
      return "a whole number";
    }
    return type != null && Collection.class.isAssignableFrom(type) ? "an array" : "an object";
  }

  private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
    return answer(problem, false);
  }

  private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem, boolean isPassing) {
    ResponseEntity.BodyBuilder response = ResponseEntity.status(problem.getStatus());
    if (isPassing || problem.getStatus() == HttpStatus.SERVICE_UNAVAILABLE.value()) {
      response.header(HttpHeaders.RETRY_AFTER, String.valueOf(Problems.RETRY_AFTER_SECONDS));
    }
    return response.body(problem);
  }
}

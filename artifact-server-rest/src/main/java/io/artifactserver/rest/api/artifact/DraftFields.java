package io.artifactserver.rest.api.artifact;

import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.UploadProblems;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.springframework.http.HttpStatus;

/**
 * Reads the fields of draft-ietf-httpbis-resumable-upload-12. They are items of structured fields
 * (RFC 9651). A field with another value is as none (section 4.1), except where bytes would be
 * taken for others. Pure functions.
 */
final class DraftFields {
  static final String VERSION = "Upload-Draft-Interop-Version";
  static final String COMPLETE = "Upload-Complete";
  static final String OFFSET = "Upload-Offset";
  static final String LENGTH = "Upload-Length";
  static final String LIMIT = "Upload-Limit";
  static final String MEDIA_TYPE = "application/partial-upload";

  static final String TRUE = "?1";
  static final String FALSE = "?0";

  /** The longest integer: RFC 9651, section 3.3.1. */
  private static final int MAX_DIGITS = 15;

  private DraftFields() {}

  /** Returns the interop version that the client speaks, if this server does so too. */
  static Optional<String> version(HttpServletRequest request) {
    return Optional.ofNullable(request.getHeader(VERSION))
        .filter(UploadExchange.VERSIONS::contains);
  }

  /**
   * Whether the body is the last of the upload, if the request says so.
   *
   * @throws ProblemException if it says something else: without the field, a part of the bytes
   *     would be taken for all of them
   */
  static Optional<Boolean> isComplete(HttpServletRequest request) {
    if (request.getHeader(COMPLETE) == null) {
      return Optional.empty();
    }
    return Optional.of(
        line(request, COMPLETE)
            .flatMap(DraftFields::bool)
            .orElseThrow(() ->
                new ProblemException(
                    HttpStatus.BAD_REQUEST,
                    "Malformed Upload-Complete",
                    "Send Upload-Complete once, as ?0 or ?1. See docs/uploads.md.")));
  }

  static OptionalLong offset(HttpServletRequest request) {
    return number(request, OFFSET);
  }

  /**
   * The length of the upload, if the request says it.
   *
   * @throws ProblemException if it says two: to ignore both would begin an upload of any length
   */
  static OptionalLong length(HttpServletRequest request) {
    if (Collections.list(request.getHeaders(LENGTH)).size() > 1) {
      throw new ProblemException(UploadProblems.inconsistentLength("Send Upload-Length once."));
    }
    return number(request, LENGTH);
  }

  static Optional<Boolean> bool(String line) {
    String value = item(line);
    return value.equals(TRUE) || value.equals(FALSE)
        ? Optional.of(value.equals(TRUE))
        : Optional.empty();
  }

  static OptionalLong number(String line) {
    String digits = item(line);
    return !digits.isEmpty()
            && digits.length() <= MAX_DIGITS
            && digits.chars().allMatch(digit -> digit >= '0' && digit <= '9')
        ? OptionalLong.of(Long.parseLong(digits))
        : OptionalLong.empty();
  }

  private static OptionalLong number(HttpServletRequest request, String name) {
    return line(request, name).map(DraftFields::number).orElse(OptionalLong.empty());
  }

  private static Optional<String> line(HttpServletRequest request, String name) {
    List<String> lines = Collections.list(request.getHeaders(name));
    return lines.size() == 1 ? Optional.of(lines.getFirst()) : Optional.empty();
  }

  /** The bare item; parameters (";a=b") may follow, and none is defined. */
  private static String item(String line) {
    int semicolon = line.indexOf(';');
    return (semicolon < 0 ? line : line.substring(0, semicolon)).strip();
  }
}

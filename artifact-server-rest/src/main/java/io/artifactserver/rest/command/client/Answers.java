package io.artifactserver.rest.command.client;

import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Answers of the server that are not what was asked for, as exceptions. */
final class Answers {
  static final int OK = 200;
  static final int CREATED = 201;
  static final int NO_CONTENT = 204;
  static final int PARTIAL_CONTENT = 206;
  static final int BAD_REQUEST = 400;
  static final int UNAUTHORIZED = 401;
  static final int FORBIDDEN = 403;
  static final int NOT_FOUND = 404;
  static final int CONFLICT = 409;
  static final int GONE = 410;
  static final int RANGE_NOT_SATISFIABLE = 416;

  private static final int TOO_LARGE = 413;

  /** tus 1.0.0, checksum: the bytes have another one. */
  private static final int CHECKSUM_MISMATCH = 460;

  /** The type of the problem that the bytes have another digest than was announced. */
  private static final String DIGEST_MISMATCH =
      "https://iana.org/assignments/http-problem-types#digest-mismatching-values";

  /** The type of the problem that all bytes of an upload are there already. */
  private static final String COMPLETED =
      "https://iana.org/assignments/http-problem-types#completed-upload";

  /** The title of the problem that another request goes on with an upload. */
  private static final String NEWER_REQUEST = "Newer request";

  /** Timeout, Locked, Too Early, Too Many Requests, and what a server that restarts says. */
  private static final Set<Integer> TRANSIENT = Set.of(408, 423, 425, 429, 500, 502, 503, 504);

  private static final Duration MAX_RETRY_AFTER = Duration.ofMinutes(5);

  private Answers() {}

  /**
   * Returns the failure that an answer is.
   *
   * @param what was asked for
   * @throws TransientException if the server may say something else later
   */
  static ClientException refusal(HttpResponse<String> answer, String what)
      throws TransientException {
    return refusal(
        answer.statusCode(),
        answer.headers().firstValue("Retry-After").orElse(""),
        answer.body(),
        what);
  }

  /** As the other method; reads the answer's text. */
  static ClientException refusal(HttpURLConnection answer, String what) throws IOException {
    @Nullable InputStream text = answer.getErrorStream();
    return refusal(
        answer.getResponseCode(),
        Objects.requireNonNullElse(answer.getHeaderField("Retry-After"), ""),
        text == null ? "" : new String(text.readNBytes(ShortBody.MAX_TEXT), StandardCharsets.UTF_8),
        what);
  }

  private static ClientException refusal(int status, String retryAfter, String body, String what)
      throws TransientException {
    String said = "%s: the server says %d%s".formatted(what, status, detail(body));
    if (TRANSIENT.contains(status)) {
      throw new TransientException(said, retryAfter(retryAfter));
    }
    return switch (status) {
      case UNAUTHORIZED ->
          new ClientException(
              Reason.REFUSED,
              said
                  + ". The server does not accept this token, or wants one: give it with"
                  + " --token-file FILE, ARTIFACT_SERVER_TOKEN, or a profile");
      case FORBIDDEN -> new ClientException(Reason.REFUSED, said);
      case NOT_FOUND, GONE -> new ClientException(Reason.ABSENT, said);
      case CONFLICT -> conflict(body, said);
      case CHECKSUM_MISMATCH -> new ClientException(Reason.OTHER_BYTES, said);
      case TOO_LARGE -> ClientException.ofFile(said);
      case BAD_REQUEST ->
          new ClientException(
              member(body, "type").equals(DIGEST_MISMATCH) ? Reason.OTHER_BYTES : Reason.FAILED,
              said);
      default -> new ClientException(Reason.FAILED, said);
    };
  }

  /** A path that is taken, unless two clients send the same upload. */
  private static ClientException conflict(String body, String said) throws TransientException {
    if (member(body, "type").equals(COMPLETED)) {
      throw new TransientException(said, Duration.ZERO);
    }
    return member(body, "title").equals(NEWER_REQUEST)
        ? new ClientException(
            Reason.FAILED, said + ". Another process goes on with it: wait until that one ends")
        : new ClientException(Reason.OTHER_BYTES, said);
  }

  /** How long the server asks to wait; zero if it says nothing, or nothing that is understood. */
  static Duration retryAfter(HttpResponse<?> answer) {
    return retryAfter(answer.headers().firstValue("Retry-After").orElse(""));
  }

  private static Duration retryAfter(String value) {
    Duration asked;
    try {
      asked =
          value.matches("\\d{1,9}")
              ? Duration.ofSeconds(Long.parseLong(value))
              : Duration.between(
                  Instant.now(),
                  ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeParseException e) {
      return Duration.ZERO;
    }
    if (asked.isNegative()) {
      return Duration.ZERO;
    }
    return asked.compareTo(MAX_RETRY_AFTER) > 0 ? MAX_RETRY_AFTER : asked;
  }

  /** A number in a field; empty if there is none, or none that a size can be. */
  static OptionalLong number(HttpResponse<?> answer, String field) {
    String value = answer.headers().firstValue(field).orElse("");
    try {
      return value.matches("\\d{1,19}")
          ? OptionalLong.of(Long.parseLong(value))
          : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  private static String detail(String body) {
    String detail = member(body, "detail");
    return detail.isEmpty() ? "" : " (" + detail.replaceAll("\\.$", "") + ")";
  }

  /** A member of a problem detail; empty if it has none. */
  static String member(String body, String name) {
    if (!body.startsWith("{")) {
      return "";
    }
    try {
      JsonNode problem = JsonMapper.shared().readTree(body);
      return problem.path(name).asString("");
    } catch (JacksonException e) {
      return "";
    }
  }
}

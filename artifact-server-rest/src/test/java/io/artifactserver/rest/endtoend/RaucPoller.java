package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * RAUC's poll, as {@code src/polling.c} and {@code src/nbd.c} of 1.16 do it with libcurl: read, not
 * copied. The first request has the fields that describe the system and follows redirects; the
 * others go to where it ended, without those fields. Used by one thread.
 */
final class RaucPoller {
  private static final int MAX_REDIRECTS = 8;

  private final Wire wire;
  private final String url;
  private final Map<String, String> headers;
  private final Map<String, String> system;

  /** The tag of the last bundle, as it stood in its field; null if there was none. */
  private @Nullable String etag;

  /**
   * @param url absolute path
   * @param headers of every request, such as a token
   * @param system fields that describe the system
   */
  RaucPoller(Wire wire, String url, Map<String, String> headers, Map<String, String> system) {
    this.wire = wire;
    this.url = url;
    this.headers = headers;
    this.system = system;
  }

  /** How a poll ended. */
  sealed interface Outcome {
    /** There is a bundle. */
    record Bundle(String effectiveUrl, long size) implements Outcome {}

    /** "no bundle available". */
    record NoContent() implements Outcome {}

    /** "bundle not modified". */
    record NotModified() implements Outcome {}

    /** "polling failed"; the next one comes later than usual. */
    record Failed(String why) implements Outcome {}
  }

  /** Asks once. */
  Outcome poll() throws IOException {
    String target = url;
    Response answer = first(target);
    for (int i = 0; isRedirect(answer); i++) {
      if (i == MAX_REDIRECTS) {
        return new Outcome.Failed("Maximum (8) redirects followed");
      }
      target = answer.field("location").orElseThrow();
      answer = first(target);
    }
    return switch (answer.status()) {
      case 206 -> bundle(target, answer);
      case 204 -> {
        etag = null;
        yield new Outcome.NoContent();
      }
      case 304 -> new Outcome.NotModified();
      case 200 -> new Outcome.Failed("range requests not supported by server");
      default -> new Outcome.Failed("unexpected HTTP response code " + answer.status());
    };
  }

  private Outcome bundle(String target, Response answer) {
    String[] unit = answer.field("content-range").orElse("").split(" ", 2);
    String[] range = unit.length == 2 ? unit[1].split("/", 2) : new String[0];
    if (range.length != 2 || !range[0].equals("0-3") || range[1].equals("*")) {
      return new Outcome.Failed("invalid content-range value");
    }
    if (answer.body().length != 4) {
      return new Outcome.Failed("incomplete HTTP response");
    }
    Optional<String> tag = answer.field("etag");
    tag.ifPresent(value -> etag = value);
    return new Outcome.Bundle(target, Long.parseLong(range[1]));
  }

  /** Reads a block, as the kernel asks for it. */
  byte[] read(Outcome.Bundle bundle, long from, int length) throws IOException {
    wire.send(
        "GET %s HTTP/1.1\r\nHost: device\r\nRange: bytes=%d-%d\r\nAccept: */*\r\n%s\r\n"
            .formatted(bundle.effectiveUrl(), from, from + length - 1, lines(headers)));
    Response answer = wire.receive(true);
    if (answer.status() != 206 || answer.body().length != length) {
      throw new IOException("unexpected HTTP response code " + answer.status());
    }
    return answer.body();
  }

  private Response first(String target) throws IOException {
    String condition = etag == null ? "" : "If-None-Match: " + etag + "\r\n";
    wire.send(
        "GET %s HTTP/1.1\r\nHost: device\r\nRange: bytes=0-3\r\nUser-Agent: rauc/1.16\r\nAccept: */*\r\n%s%s%s\r\n"
            .formatted(target, lines(headers), lines(system), condition));
    return wire.receive(true);
  }

  private static boolean isRedirect(Response answer) {
    return switch (answer.status()) {
      case 301, 302, 303, 307, 308 -> answer.field("location").isPresent();
      default -> false;
    };
  }

  private static String lines(Map<String, String> fields) {
    StringBuilder lines = new StringBuilder();
    fields.forEach((name, value) -> lines.append(name).append(": ").append(value).append("\r\n"));
    return lines.toString();
  }
}

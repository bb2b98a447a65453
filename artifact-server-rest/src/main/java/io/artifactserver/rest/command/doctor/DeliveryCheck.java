package io.artifactserver.rest.command.doctor;

import io.artifactserver.core.catalog.ArtifactId;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Whether an artifact comes through as the server sends it. Used by one thread. */
record DeliveryCheck(PublicServer server, ArtifactId artifact) {
  static final String RANGE = "range";

  private static final String TAGS = "length and tag";
  private static final String COMPRESSION = "compression";
  private static final String RANGES = "several ranges";
  private static final String CONDITIONS = "conditions";

  private static final int OK = 200;
  private static final int PARTIAL = 206;
  private static final int NOT_MODIFIED = 304;

  /** The length of a range, in bytes. */
  private static final int LENGTH = 500;

  private static final int MIN_LENGTH = 2 * LENGTH;
  private static final int MOST_BYTES = 64 * 1024;

  /** Asks for nothing more if there is no such artifact. */
  List<Finding> findings() throws IOException, InterruptedException {
    HttpResponse<byte[]> head =
        ask(server.request(artifact).method("HEAD", BodyPublishers.noBody()));
    long length = head.headers().firstValueAsLong("Content-Length").orElse(-1);
    String tag = field(head, "ETag");
    if (head.statusCode() != OK) {
      return List.of(
          Finding.fail(
              TAGS,
              "status " + head.statusCode(),
              "%s cannot be asked for".formatted(artifact),
              "artifact-server doctor --help    # --artifact and --token-file"));
    }
    List<Finding> findings = new ArrayList<>();
    findings.addAll(whole(length, tag, field(head, "Repr-Digest")));
    if (length >= MIN_LENGTH && !tag.isEmpty()) {
      findings.add(range(length, tag));
      findings.add(ranges());
      findings.add(conditions(tag));
    } else if (length >= 0 && length < MIN_LENGTH) {
      findings.add(
          Finding.warn(
              RANGE,
              "not asked",
              "%s has %d bytes".formatted(artifact, length),
              "name an artifact of 1000 bytes or more with --artifact"));
    }
    return findings;
  }

  private List<Finding> whole(long length, String tag, String digest)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> whole =
        ask(server.request(artifact).header("Accept-Encoding", "gzip, br, zstd, deflate"));
    String encoding = field(whole, "Content-Encoding");
    Finding compression =
        encoding.isEmpty()
            ? Finding.ok(COMPRESSION, "none", "bytes come as they are stored")
            : Finding.fail(
                COMPRESSION,
                encoding,
                "lengths, ranges and digests of what comes are not the artifact's",
                "switch compression off in the proxy: nginx \"gzip off;\", Caddy without \"encode\"");
    String tagOfWhole = field(whole, "ETag");
    long lengthOfWhole = whole.headers().firstValueAsLong("Content-Length").orElse(-1);
    String value = "%d bytes, %s".formatted(lengthOfWhole, tagOfWhole);
    String fault = null;
    if (whole.statusCode() != OK) {
      fault = "a GET is a %d and a HEAD a 200".formatted(whole.statusCode());
    } else if (length < 0 || lengthOfWhole != length) {
      fault =
          "Content-Length is missing or wrong, HEAD said %d: small devices stop early, and nobody sees how far a download is"
              .formatted(length);
    } else if (!tag.matches("\"[^\"]+\"") || !tagOfWhole.equals(tag)) {
      fault =
          "the entity tag is missing, weak or another one, HEAD said %s: a resumed download begins again"
              .formatted(tag);
    }
    Finding lengthAndTag =
        fault != null
            ? Finding.fail(
                TAGS,
                value,
                fault,
                "let the proxy pass Content-Length and ETag on, and not compress")
            : digest.isEmpty()
                ? Finding.warn(
                    TAGS,
                    value,
                    "Repr-Digest is missing: \"pull\" and devices do not know the SHA-256",
                    "let the proxy pass HEAD and its answer on")
                : Finding.ok(TAGS, value, "both survive, and the digest");
    return List.of(compression, lengthAndTag);
  }

  private Finding range(long length, String tag) throws IOException, InterruptedException {
    long first = (length - LENGTH) / 2;
    HttpResponse<byte[]> one = bytesFrom(first, tag);
    HttpResponse<byte[]> next = bytesFrom(first + 1, tag);
    String value = "status " + one.statusCode();
    String fault = null;
    if (one.statusCode() != PARTIAL || next.statusCode() != PARTIAL) {
      fault =
          "the whole artifact comes in place of a range: RAUC and resumed downloads need ranges";
    } else if (!contentRange(one).equals(expected(first, length))
        || !contentRange(next).equals(expected(first + 1, length))) {
      fault = "Content-Range is \"%s\"".formatted(contentRange(one));
    } else if (one.body().length != LENGTH
        || next.body().length != LENGTH
        || !Arrays.equals(one.body(), 1, LENGTH, next.body(), 0, LENGTH - 1)) {
      fault = "the bytes of two ranges that overlap are not the same";
    } else if (!field(one, "ETag").equals(tag)) {
      fault = "the entity tag of a range is \"%s\"".formatted(field(one, "ETag"));
    }
    return fault == null
        ? Finding.ok(RANGE, value, "with the bytes, length and tag that it should have")
        : Finding.fail(RANGE, value, fault, "let the proxy pass Range and If-Range on");
  }

  private HttpResponse<byte[]> bytesFrom(long first, String tag)
      throws IOException, InterruptedException {
    return ask(
        server
            .request(artifact)
            .header("Range", "bytes=%d-%d".formatted(first, first + LENGTH - 1))
            .header("If-Range", tag));
  }

  private static String expected(long first, long length) {
    return "bytes %d-%d/%d".formatted(first, first + LENGTH - 1, length);
  }

  private static String contentRange(HttpResponse<byte[]> answer) {
    return field(answer, "Content-Range");
  }

  private Finding ranges() throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        ask(server.request(artifact).header("Range", "bytes=0-9, 100-109"));
    String value = "status " + answer.statusCode();
    return answer.statusCode() == PARTIAL
            && field(answer, "Content-Type").startsWith("multipart/byteranges")
        ? Finding.ok(RANGES, value, "in one answer, for zsync and its like")
        : Finding.warn(
            RANGES,
            value,
            "zsync and its like get the whole artifact in place of what changed",
            "let requests with several ranges pass a cache: docs/front.md");
  }

  private Finding conditions(String tag) throws IOException, InterruptedException {
    int known = ask(server.request(artifact).header("If-None-Match", tag)).statusCode();
    int other =
        ask(server.request(artifact).header("Range", "bytes=0-9").header("If-Range", "\"other\""))
            .statusCode();
    String value = "If-None-Match %d, If-Range %d".formatted(known, other);
    return known == NOT_MODIFIED && other == OK
        ? Finding.ok(CONDITIONS, value, "a client learns whether it has the bytes of today")
        : Finding.fail(
            CONDITIONS,
            value,
            "304 and 200 are right: a resumed download mixes two artifacts, or nothing is ever unchanged",
            "let the proxy pass If-None-Match and If-Range on");
  }

  private HttpResponse<byte[]> ask(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return server.ask(request, MOST_BYTES);
  }

  private static String field(HttpResponse<byte[]> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }
}

package io.artifactserver.rest.endtoend;

import io.artifactserver.core.range.ByteRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * A request, and how it has to be answered.
 *
 * @param artifact that is asked for; none if another answer than bytes of an artifact is due
 * @param ranges that are asked for; none for the whole
 * @param fields of the request
 * @param status of the answer
 */
record Ask(
    String method,
    String path,
    Optional<MarkedArtifact> artifact,
    List<ByteRange> ranges,
    List<String> fields,
    int status) {
  private static final String BOUNDARY = "multipart/byteranges; boundary=";

  Ask {
    ranges = List.copyOf(ranges);
    fields = List.copyOf(fields);
  }

  /** Ranges, or without any the whole, with a token where one is needed. */
  static Ask ranges(MarkedArtifact artifact, String token, List<ByteRange> ranges) {
    List<String> fields = new ArrayList<>();
    if (!artifact.isPublic()) {
      fields.add("Authorization: Bearer " + token);
    }
    if (!ranges.isEmpty()) {
      fields.add(rangeField(ranges));
    }
    return new Ask(
        "GET",
        artifact.path(),
        Optional.of(artifact),
        ranges,
        fields,
        ranges.isEmpty() ? 200 : 206);
  }

  /** The artifact in that many ranges that do not touch each other, most of it in all. */
  static Ask scattered(MarkedArtifact artifact, String token, int ranges) {
    int step = artifact.length() / ranges;
    List<ByteRange> all = new ArrayList<>();
    for (int i = 0; i < ranges; i++) {
      all.add(new ByteRange((long) i * step, step - 100));
    }
    return ranges(artifact, token, all);
  }

  /** A range of a random length, short ones as often as long ones. */
  static Ask range(MarkedArtifact artifact, String token, SplittableRandom random, int maxLength) {
    return ranges(artifact, token, List.of(randomRange(artifact, random, maxLength)));
  }

  /** Any request that clients send; most ask for bytes. */
  static Ask any(SplittableRandom random, String token) {
    MarkedArtifact artifact = anyArtifact(random);
    return switch (random.nextInt(20)) {
      case 0 ->
          new Ask("GET", "/artifacts/open/absent", Optional.empty(), List.of(), List.of(), 404);
      case 1 -> stranger(random);
      case 2 ->
          new Ask(
              "GET",
              MarkedArtifact.PUBLIC.path(),
              Optional.empty(),
              List.of(),
              List.of("Range: bytes=99999999-"),
              416);
      case 3 ->
          new Ask(
              "HEAD", MarkedArtifact.PUBLIC.path(), Optional.empty(), List.of(), List.of(), 200);
      case 4, 5 -> several(artifact, token, random);
      default -> range(artifact, token, random, 1 << 18);
    };
  }

  /** Up to 20 ranges. */
  static Ask several(MarkedArtifact artifact, String token, SplittableRandom random) {
    List<ByteRange> ranges = new ArrayList<>();
    for (int i = random.nextInt(2, 21); i > 0; i--) {
      ranges.add(randomRange(artifact, random, 1 << 15));
    }
    return ranges(artifact, token, ranges);
  }

  /** Without the token that it takes. */
  static Ask stranger(SplittableRandom random) {
    MarkedArtifact artifact = random.nextBoolean() ? MarkedArtifact.PRIVATE : MarkedArtifact.SEALED;
    List<String> range = List.of("Range: bytes=0-65535");
    return new Ask("GET", artifact.path(), Optional.empty(), List.of(), range, 401);
  }

  static MarkedArtifact anyArtifact(SplittableRandom random) {
    MarkedArtifact[] all = MarkedArtifact.values();
    return all[random.nextInt(all.length)];
  }

  /** Either of those that take no token. */
  static MarkedArtifact anyPublic(SplittableRandom random) {
    return random.nextBoolean() ? MarkedArtifact.PUBLIC : MarkedArtifact.ENCRYPTED;
  }

  /** As HTTP/1.1. */
  String head(boolean isLast) {
    StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: device\r\n");
    for (String field : fields) {
      head.append(field).append("\r\n");
    }
    return head.append(isLast ? "Connection: close\r\n\r\n" : "\r\n").toString();
  }

  /**
   * Compares an answer's head.
   *
   * @param fields with names in lower case
   * @return the check of its body
   * @throws AssertionError if it is not the answer
   */
  BodyCheck check(int answered, Map<String, String> fields) {
    if (answered != status) {
      throw new AssertionError(
          "%s %s %s is answered with %d, not %d: %s"
              .formatted(method, path, ranges, answered, status, fields));
    }
    if (artifact.isEmpty()) {
      return new BodyCheck.Other();
    }
    MarkedArtifact wanted = artifact.get();
    if (ranges.size() > 1) {
      String type = fields.getOrDefault("content-type", "");
      require(type.startsWith(BOUNDARY), "Content-Type", fields);
      return new BodyCheck.Parts(wanted, ranges, type.substring(BOUNDARY.length()));
    }
    ByteRange range = ranges.isEmpty() ? new ByteRange(0, wanted.length()) : ranges.getFirst();
    String length = fields.get("content-length");
    require(String.valueOf(range.length()).equals(length), "Content-Length", fields);
    if (!ranges.isEmpty()) {
      String named = fields.get("content-range");
      require(contentRange(wanted, range).equals(named), "Content-Range", fields);
    }
    return new BodyCheck.Single(wanted, range);
  }

  static String contentRange(MarkedArtifact artifact, ByteRange range) {
    return "bytes %d-%d/%d"
        .formatted(range.position(), range.position() + range.length() - 1, artifact.length());
  }

  private void require(boolean isSo, String field, Map<String, String> answer) {
    if (!isSo) {
      throw new AssertionError(
          "%s %s %s is answered with another %s: %s"
              .formatted(method, path, ranges, field, answer));
    }
  }

  private static String rangeField(List<ByteRange> ranges) {
    return ranges.stream()
        .map(range -> range.position() + "-" + (range.position() + range.length() - 1))
        .collect(Collectors.joining(",", "Range: bytes=", ""));
  }

  private static ByteRange randomRange(
      MarkedArtifact artifact, SplittableRandom random, int maxLength) {
    int most = 1 << random.nextInt(32 - Integer.numberOfLeadingZeros(maxLength));
    int length = 1 + random.nextInt(Math.min(most, maxLength));
    return new ByteRange(random.nextLong(artifact.length() - length), length);
  }
}

package io.artifactserver.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of RFC 9110 rules against the pure planner. */
class Rfc9110PlannerTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.5Z");
  private static final Representation REPRESENTATION =
      new Representation(
          RequestLine.LENGTH,
          EntityTag.of(new Digest(DigestAlgorithm.SHA_256, "0123456789abcdef".repeat(4))),
          Instant.parse("2026-02-28T23:59:59.999Z"));

  @ParameterizedTest
  @MethodSource("io.artifactserver.rest.http.RequestLine#all")
  void planIsAsTheTableSays(RequestLine line) {
    assertThat(plan(line, REPRESENTATION)).isEqualTo(line.expected());
  }

  @Test
  void repeatedFieldsAreJoined() {
    RequestLine line =
        new RequestLine(
            "5.3", "GET", List.of("If-None-Match: \"other\"", "If-None-Match: <etag>"), "304");
    assertThat(plan(line, REPRESENTATION)).isEqualTo("304");
  }

  @Test
  void emptyRepresentationHasNoRanges() {
    Representation empty =
        new Representation(0, REPRESENTATION.entityTag(), REPRESENTATION.lastModified());
    assertThat(plan(get("Range: bytes=0-"), empty)).isEqualTo("416");
    assertThat(plan(get("Range: bytes=0-0"), empty)).isEqualTo("416");
    // A suffix is satisfiable, but no Content-Range can express it.
    assertThat(plan(get("Range: bytes=-5"), empty)).isEqualTo("200");
    assertThat(plan(get("Range: bytes=-0"), empty)).isEqualTo("200");
  }

  @Test
  void lengthsNearTheEndOfLongDoNotOverflow() {
    Representation largest =
        new Representation(
            Long.MAX_VALUE, REPRESENTATION.entityTag(), REPRESENTATION.lastModified());
    assertThat(plan(get("Range: bytes=9223372036854775806-9223372036854775807"), largest))
        .isEqualTo("206 9223372036854775806-9223372036854775806");
    assertThat(plan(get("Range: bytes=9223372036854775807-"), largest)).isEqualTo("416");
    assertThat(plan(get("Range: bytes=-9223372036854775808"), largest))
        .isEqualTo("206 0-9223372036854775806");
    assertThat(plan(get("Range: bytes=0-,0-,0-"), largest)).isEqualTo("200");
  }

  @Test
  void thousandsOfHarmlessRangesAreServed() {
    StringBuilder value = new StringBuilder("Range: bytes=0-0");
    for (int i = 2; i < 5_000; i += 2) {
      value.append(',').append(i).append('-').append(i);
    }
    ResponsePlan plan =
        ResponsePlanner.plan(
            "GET", fields(get(value.toString()), REPRESENTATION), REPRESENTATION, NOW);
    assertThat(plan)
        .isInstanceOfSatisfying(
            ResponsePlan.Multiple.class, multiple -> assertThat(multiple.ranges()).hasSize(2_500));
  }

  private static RequestLine get(String field) {
    return new RequestLine("14.2", "GET", List.of(field), "");
  }

  private static String plan(RequestLine line, Representation representation) {
    return switch (ResponsePlanner.plan(
        line.method(), fields(line, representation), representation, NOW)) {
      case ResponsePlan.Whole _ -> "200";
      case ResponsePlan.Single(var range) -> "206 " + range.position() + '-' + (range.end() - 1);
      case ResponsePlan.Multiple(var ranges) ->
          ranges.stream()
              .map(range -> range.position() + "-" + (range.end() - 1))
              .collect(Collectors.joining(",", "206 ", ""));
      case ResponsePlan.NotModified _ -> "304";
      case ResponsePlan.PreconditionFailed _ -> "412";
      case ResponsePlan.RangeNotSatisfiable _ -> "416";
    };
  }

  private static RequestFields fields(RequestLine line, Representation representation) {
    List<String> fields = line.fieldsFor(representation.entityTag(), representation.lastModified());
    return name -> {
      String prefix = name.toLowerCase(Locale.ROOT) + ":";
      String joined =
          fields.stream()
              .filter(field -> field.toLowerCase(Locale.ROOT).startsWith(prefix))
              .map(field -> field.substring(prefix.length()).strip())
              .collect(Collectors.joining(", "));
      return joined.isEmpty() ? Optional.empty() : Optional.of(joined);
    };
  }
}

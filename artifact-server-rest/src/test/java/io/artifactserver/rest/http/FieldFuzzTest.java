package io.artifactserver.rest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.artifactserver.rest.http.EntityTag.Comparison;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@link FieldProperties} under {@value #INPUTS} mutated real inputs a target, the same in every
 * build. {@link FieldFuzzing} looks for more with coverage as its guide.
 */
class FieldFuzzTest {
  private static final int INPUTS = 200_000;
  private static final int SHORT = 8 * 1024;
  private static final int GROWTH = 16;

  static Stream<Arguments> targets() {
    return Stream.of(
        target("range", FieldCorpus.RANGES, FieldCorpus.RANGE_WORDS, FieldProperties::rangeHeader),
        target("plan", FieldCorpus.REQUESTS, FieldCorpus.REQUEST_WORDS, FieldProperties::plan),
        target("date", FieldCorpus.DATES, FieldCorpus.DATE_WORDS, FieldProperties::httpDate),
        target(
            "entity tags",
            FieldCorpus.ENTITY_TAGS,
            FieldCorpus.ENTITY_TAG_WORDS,
            FieldProperties::entityTags),
        target(
            "digests",
            FieldCorpus.DIGESTS,
            FieldCorpus.DIGEST_WORDS,
            FieldProperties::digestFields),
        target("path", FieldCorpus.PATHS, FieldCorpus.PATH_WORDS, FieldProperties::requestPath));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("targets")
  void propertiesHold(
      String name, List<String> corpus, List<String> words, Consumer<String> property) {
    corpus.forEach(property);
    FieldMutator mutator = new FieldMutator(name.hashCode(), corpus, words);
    for (int i = 0; i < INPUTS; i++) {
      property.accept(mutator.next());
    }
  }

  static Stream<Arguments> reads() {
    List<String> patterns =
        List.of(
            "0-0,",
            ",",
            " ",
            "\t",
            "9",
            "0",
            "-1,",
            " ,",
            "0-9999999999999999999999 ,",
            "\"",
            "\",",
            "W/\"",
            "\"a\" ",
            "\"a\",",
            "\"a\"x",
            "\"\"",
            "a",
            "a,",
            "W/",
            "*",
            "=",
            "=:",
            ":",
            ";",
            ";q=",
            "sha-256=1,",
            "sha-256=:AAAA:,",
            "sha-256=",
            "1",
            "%41",
            "/",
            "%C3%A9",
            "a/");
    return patterns.stream()
        .flatMap(pattern ->
            Stream.of(
                read("range", pattern, text -> RangeHeader.parse("bytes=" + text, 10_000)),
                read("one number", pattern, text -> RangeHeader.parse("bytes=0-" + text, 10_000)),
                read(
                    "entity tags",
                    pattern,
                    text -> FieldProperties.TAG.matchesAnyOf(text, Comparison.STRONG)),
                read("one tag", pattern, text -> FieldProperties.TAG.matchesStrongly('"' + text)),
                read("date", pattern, text -> HttpDate.parse(text, FieldProperties.NOW)),
                read("digests", pattern, FieldFuzzTest::parseDigests),
                read(
                    "wanted digests",
                    pattern,
                    text -> DigestFields.reprDigest(FieldProperties.ALL_DIGESTS, text)),
                read(
                    "older wanted digests",
                    pattern,
                    text -> DigestFields.digest(FieldProperties.ALL_DIGESTS, text)),
                read("path", pattern, FieldFuzzTest::decode)));
  }

  /**
   * Of an input {@value #GROWTH} times as long, the fastest of many readings takes about as many
   * times as long if the time is linear, and {@value #GROWTH} times that if it is quadratic.
   */
  @ParameterizedTest(name = "{0} of {1}")
  @MethodSource("reads")
  void timeIsLinear(String name, String pattern, Consumer<String> read) {
    String small = pattern.repeat(SHORT / pattern.length());
    String large = pattern.repeat(GROWTH * SHORT / pattern.length());
    double ratio = Double.MAX_VALUE;
    // Other load on the machine makes a reading slower, never faster: the best attempt counts.
    for (int attempt = 0; attempt < 5 && ratio > 4 * GROWTH; attempt++) {
      long ofSmall = fastestNanos(read, small, 60);
      long ofLarge = fastestNanos(read, large, 12);
      ratio = Math.min(ratio, (double) ofLarge / Math.max(ofSmall, 1_000));
    }
    assertThat(ratio).isLessThan(4 * GROWTH);
  }

  private static long fastestNanos(Consumer<String> read, String text, int repetitions) {
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < repetitions; i++) {
      long start = System.nanoTime();
      read.accept(text);
      fastest = Math.min(fastest, System.nanoTime() - start);
    }
    return fastest;
  }

  private static void parseDigests(String text) {
    try {
      DigestFields.parse(text);
    } catch (IllegalArgumentException e) {
      // As documented.
    }
  }

  private static void decode(String text) {
    try {
      RequestPath.decode(text);
    } catch (IllegalArgumentException e) {
      // As documented.
    }
  }

  private static Arguments target(
      String name, List<String> corpus, List<String> words, Consumer<String> property) {
    return arguments(name, corpus, words, property);
  }

  private static Arguments read(String name, String pattern, Consumer<String> read) {
    return arguments(name, pattern, read);
  }
}

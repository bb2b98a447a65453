package io.artifactserver.rest.http;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@link FieldProperties} under Jazzer. A build runs the seeds. To fuzz one target for a minute,
 * guided by coverage and without the network:
 *
 * <pre>{@code
 * JAZZER_FUZZ=1 mvn -pl artifact-server-rest test-compile surefire:test@fuzz-seeds \
 *     -Dchecks.skip -Dsurefire.failIfNoSpecifiedTests=false -Dtest='FieldFuzzing#range'
 * }</pre>
 *
 * It prints its findings, and keeps each in a file crash-*; put the input into {@link FieldCorpus}.
 */
class FieldFuzzing {
  private static final String DURATION = "1m";

  static Stream<byte[]> ranges() {
    return bytes(FieldCorpus.RANGES);
  }

  static Stream<byte[]> requests() {
    return bytes(FieldCorpus.REQUESTS);
  }

  static Stream<byte[]> dates() {
    return bytes(FieldCorpus.DATES);
  }

  static Stream<byte[]> tags() {
    return bytes(FieldCorpus.ENTITY_TAGS);
  }

  static Stream<byte[]> digests() {
    return bytes(FieldCorpus.DIGESTS);
  }

  static Stream<byte[]> paths() {
    return bytes(FieldCorpus.PATHS);
  }

  @MethodSource("ranges")
  @FuzzTest(maxDuration = DURATION)
  void range(byte[] input) {
    FieldProperties.rangeHeader(text(input));
  }

  @MethodSource("requests")
  @FuzzTest(maxDuration = DURATION)
  void plan(byte[] input) {
    FieldProperties.plan(text(input));
  }

  @MethodSource("dates")
  @FuzzTest(maxDuration = DURATION)
  void date(byte[] input) {
    FieldProperties.httpDate(text(input));
  }

  @MethodSource("tags")
  @FuzzTest(maxDuration = DURATION)
  void entityTags(byte[] input) {
    FieldProperties.entityTags(text(input));
  }

  @MethodSource("digests")
  @FuzzTest(maxDuration = DURATION)
  void digestFields(byte[] input) {
    FieldProperties.digestFields(text(input));
  }

  @MethodSource("paths")
  @FuzzTest(maxDuration = DURATION)
  void path(byte[] input) {
    FieldProperties.requestPath(text(input));
  }

  private static Stream<byte[]> bytes(List<String> texts) {
    return texts.stream().map(text -> text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }
}

package io.artifactserver.rest.api.artifact;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.rest.http.FieldMutator;
import io.artifactserver.rest.problem.ProblemException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a client sends in a field of an upload is understood, or a 400; and nothing else. */
class UploadFieldFuzzTest {
  private static final int INPUTS = 100_000;

  private static final String ID = "0123456789abcdef0123456789abcdef";

  static final List<String> METADATA =
      List.of(
          "repository dHVz,path YS9i",
          "path YQ==,sha256,repository dHVz",
          "a DQo=,b AA==, c \u00e4");
  static final List<String> CHECKSUMS =
      List.of("sha1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "md5 1B2M2Y8AsgTpgAmY7PhCfg==");
  static final List<String> CONCATS =
      List.of(
          "partial",
          "final;/api/v1/uploads/" + ID,
          "final;https://a:1/api/v1/uploads/%s /api/v1/uploads/1%s".formatted(ID, ID.substring(1)));
  static final List<String> ITEMS = List.of("?1", "?0", "0", "999999999999999", "12;a=b");

  static Stream<Arguments> targets() {
    return Stream.of(
        target(
            "Upload-Metadata",
            METADATA,
            List.of(",", " ", "repository", "path", "sha256", "=", "dHVz", "DQo="),
            UploadFieldFuzzTest::metadata),
        target(
            "Upload-Checksum",
            CHECKSUMS,
            List.of(" ", "sha1", "sha256", "md5", "crc32", "=", "../x"),
            UploadFieldFuzzTest::checksum),
        target(
            "Upload-Concat",
            CONCATS,
            List.of(" ", "final;", "partial", "/api/v1/uploads/", ID, "..", "%2f", "http://"),
            UploadFieldFuzzTest::concat),
        target(
            "items",
            ITEMS,
            List.of("?", "1", "-1", ";", "9999999999999999", ".5"),
            UploadFieldFuzzTest::item));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("targets")
  void isUnderstoodOrRefused(
      String name, List<String> corpus, List<String> words, Consumer<String> read) {
    corpus.forEach(input -> understandOrRefuse(read, input));
    FieldMutator mutator = new FieldMutator(name.hashCode(), corpus, words);
    for (int i = 0; i < INPUTS; i++) {
      understandOrRefuse(read, mutator.next());
    }
  }

  static void understandOrRefuse(Consumer<String> read, String input) {
    try {
      read.accept(input);
    } catch (ProblemException e) {
      assertThat(e.problem().getStatus()).as(input).isEqualTo(400);
    }
  }

  static void metadata(String field) {
    Map<String, String> metadata = TusFields.metadata(field);
    assertThat(metadata.keySet()).doesNotContain("");
  }

  static void checksum(String field) {
    Digest checksum = TusFields.checksum(field);
    assertThat(checksum.bytes()).hasSize(checksum.algorithm().length());
  }

  static void concat(String field) {
    TusConcat concat = TusConcat.parse(field);
    assertThat(concat.isPart()).isEqualTo(concat.parts().isEmpty());
    assertThat(concat.parts())
        .allMatch(BlobRef::isKey)
        .hasSameSizeAs(new HashSet<>(concat.parts()));
    assertThat(TusConcat.parse(concat.field().orElseThrow())).isEqualTo(concat);
  }

  static void item(String field) {
    OptionalLong number = DraftFields.number(field);
    if (number.isPresent()) {
      assertThat(number.getAsLong()).isBetween(0L, 999_999_999_999_999L);
      assertThat(DraftFields.bool(field)).isEmpty();
    }
  }

  private static Arguments target(
      String name, List<String> corpus, List<String> words, Consumer<String> read) {
    return Arguments.of(name, corpus, words, read);
  }
}

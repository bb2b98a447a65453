package io.artifactserver.rest.api.artifact;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The properties of {@link UploadFieldFuzzTest} under Jazzer. A build runs the seeds; FieldFuzzing
 * says how to look for more.
 */
class UploadFieldFuzzing {
  private static final String DURATION = "1m";

  static Stream<byte[]> metadataSeeds() {
    return bytes(UploadFieldFuzzTest.METADATA);
  }

  static Stream<byte[]> checksumSeeds() {
    return bytes(UploadFieldFuzzTest.CHECKSUMS);
  }

  static Stream<byte[]> concatSeeds() {
    return bytes(UploadFieldFuzzTest.CONCATS);
  }

  static Stream<byte[]> itemSeeds() {
    return bytes(UploadFieldFuzzTest.ITEMS);
  }

  @MethodSource("metadataSeeds")
  @FuzzTest(maxDuration = DURATION)
  void metadata(byte[] input) {
    UploadFieldFuzzTest.understandOrRefuse(UploadFieldFuzzTest::metadata, text(input));
  }

  @MethodSource("checksumSeeds")
  @FuzzTest(maxDuration = DURATION)
  void checksum(byte[] input) {
    UploadFieldFuzzTest.understandOrRefuse(UploadFieldFuzzTest::checksum, text(input));
  }

  @MethodSource("concatSeeds")
  @FuzzTest(maxDuration = DURATION)
  void concat(byte[] input) {
    UploadFieldFuzzTest.understandOrRefuse(UploadFieldFuzzTest::concat, text(input));
  }

  @MethodSource("itemSeeds")
  @FuzzTest(maxDuration = DURATION)
  void item(byte[] input) {
    UploadFieldFuzzTest.understandOrRefuse(UploadFieldFuzzTest::item, text(input));
  }

  private static Stream<byte[]> bytes(List<String> texts) {
    return texts.stream().map(text -> text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }
}
